"""Scripts of a plugin: rendered ones run as a command does, all others are left alone."""
