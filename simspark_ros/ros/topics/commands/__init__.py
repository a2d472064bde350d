"""The topics by which robots are commanded."""
