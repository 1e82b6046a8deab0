"""Keeps pytest out of the plugin: the suite wants tools whose names begin as tests do."""

collect_ignore = ["plugin"]
