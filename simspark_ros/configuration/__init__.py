"""Configuration files: where they are, how they are read and checked, and how one is based on another."""
