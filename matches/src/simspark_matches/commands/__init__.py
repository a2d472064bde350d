"""The sub-commands of `simspark` that this distribution adds."""
