"""Models of how a robot on wheels moves: learned from recorded driving, sampled, and used as drives."""
