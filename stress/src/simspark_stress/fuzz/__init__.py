"""Draws hostile input from grammars, watches what it does to a server of its own, and shrinks what does harm."""
