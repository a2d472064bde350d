"""Players: percepts in, commands out, independent of the protocol that carries them."""
