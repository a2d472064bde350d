"""Commands of a trainer: what a person or a program may do to a running game, as no player can."""
