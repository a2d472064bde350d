"""What the page of the viewer and videos show alike: camera, board, goals, slow motion, team colours, labels."""
