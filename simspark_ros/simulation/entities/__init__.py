"""What a simulator shows to programs that know no soccer: entities with names, states and bounds, and named poses."""
