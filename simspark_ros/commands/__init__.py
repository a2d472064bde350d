"""Sub-commands of `simspark`, one file each.

A file has `register(commands)`, which adds the parser of its command, its options, and `run`, the function that takes
them. `run` imports the modules that it needs, so that the command line is read fast. A distribution adds commands by
entry points in the group `simspark_ros.commands` that name such a `register`.
"""
