"""Showing on a terminal: the live picture while a command runs, then the document."""
