"""Topics of the world, not of one robot: its clock, game, ball and poses."""
