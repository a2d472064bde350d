"""A module that fails when it is imported."""

raise OSError("no library libwreck.so")
