"""Commands that are agents of a running server, or write the beginning of one."""
