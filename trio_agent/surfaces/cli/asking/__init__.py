"""Questions of a component, put to whoever sits at the terminal."""
