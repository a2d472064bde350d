"""Common parts of the viewer's page and videos: camera, board, goals, slow motion, team colours, labels."""
