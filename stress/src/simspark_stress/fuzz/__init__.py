"""Draws hostile input from grammars, plays it on a server of its own, and shrinks the cases that do harm."""
