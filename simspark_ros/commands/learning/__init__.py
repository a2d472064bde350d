"""Commands that learn, and that use what was learned."""
