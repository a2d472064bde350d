"""The base of all errors whose message is for the user."""

from __future__ import annotations


class UserError(Exception):
    """Something that the user asked for cannot be done; the message says what is wrong, where, and what to do.

    Programs print it and end with a status; a traceback would say nothing more.
    """
