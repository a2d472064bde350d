"""Models of the motion of a robot on wheels: learned from recorded driving, sampled, and used as drives."""
