"""The messages by which a GameController tells robots the state of the game, and robots answer it."""
