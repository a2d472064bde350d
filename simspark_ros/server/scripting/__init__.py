"""Scripts and a console in Python, in place of the Ruby scripts of SimSpark's server."""
