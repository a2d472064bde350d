"""Soccer: field, landmarks, ball, teams and the state of the game."""
