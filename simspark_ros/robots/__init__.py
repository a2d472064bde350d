"""Robots: mechanical models, perceptors and effectors, and the catalogue that loads them."""
