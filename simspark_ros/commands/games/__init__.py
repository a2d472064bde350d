"""Commands that play games without a person."""
