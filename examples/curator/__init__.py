"""The curator: an example plugin that audits a directory of files."""
