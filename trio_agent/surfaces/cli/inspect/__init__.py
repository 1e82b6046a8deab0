"""`trio-agent inspect`: what a plugin declares, and what is wrong with it."""
