"""Players: percepts in, commands out, whatever door they come through."""
