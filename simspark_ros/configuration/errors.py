"""The base of all errors whose message is for the user."""

from __future__ import annotations


class UserError(Exception):
    """A user's request cannot be carried out; the message says what is wrong, where, and what to do.

    Programs print it without a traceback, and end with a status.
    """
