"""A module that makes nothing."""
