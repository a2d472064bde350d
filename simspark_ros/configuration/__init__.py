"""Configuration files: finding, reading, checking and merging them."""
