"""The referee: rule books, rules, their view of the match, and their decisions."""
