"""What the players of the demonstration team do: from what they believe to what their legs and heads are to do."""
