"""Soccer: field, landmarks, ball, teams and the state of the game."""

TEAM_SIZE = 11
"""Players of a complete team, unless a world file has another size."""
