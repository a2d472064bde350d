"""The doors of a server: the grammar of each door's cases, and the code that plays them."""
