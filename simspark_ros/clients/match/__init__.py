"""Matches and tournaments without a person: start server and teams, watch, write down what came out."""
