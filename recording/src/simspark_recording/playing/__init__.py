"""Plays steps of any recording to monitors, at the pace at which it was recorded."""
