"""What a robot is: its mechanical model, its perceptors and effectors, and the catalogue that loads them."""
