"""Sub-commands of `simspark`, one file each."""
