"""The referee: rule books, rules, what they see of the match, and the decisions they take."""
