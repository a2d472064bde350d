"""Sub-commands of `simspark`, one file each.

A file has `register(commands)`, which adds the parser of its command, its options, and `run` as what to call with them.
What a command needs to run is imported in `run`, so that the command line is read fast. A distribution adds commands by
entry points in the group `simspark_ros.commands` that name such a `register`.
"""
