"""The check of docstrings refuses entries without a noun, wherever they stand, and nothing else."""

from __future__ import annotations

import pytest

from scripts.check_docstrings import main, problems

REFUSED = {
    "argument of a function": (
        4,
        '''
def build(engine):
    """Args:
        engine: of physics.
    """
''',
    ),
    "later entry, below continuation lines": (
        8,
        '''
class Wall:
    """A wall.

    Attributes:
        top: the upper edge's height above the ground, m; walls lower
            than that of the field are refused.
        bottom, left: of the wall, m.
    """
''',
    ),
    "argument behind a section of its own": (
        11,
        '''
class Wall:
    def move(self, speed, **others):
        """Move it.

        Raises:
            ValueError: that it cannot.

        Args:
            speed (float): the wall's speed, m/s.
            **others: Whose edges it must not touch.
        """
''',
    ),
    "attribute in a module's docstring": (4, '"""A module.\n\nAttributes:\n    limit: for all.\n"""\n'),
    "argument behind a shape": (3, 'def f(points):\n    """Args:\n        points: (N, 3) of the mesh, m.\n    """\n'),
    "argument that is a shape alone": (3, 'def f(points):\n    """Args:\n        points: (N, 3).\n    """\n'),
    "note behind a shape": (2, 'CORNERS = ()\n"""(8, 3), of a cube."""\n'),
    "note on a constant": (3, 'SPEED = 3.0\n\n"""Of the ball, m/s."""\n'),
    "note on a declared constant": (2, 'SPEED: float = 3.0\n"""\nof the ball, m/s."""\n'),
    "note on an attribute of a class": (3, 'class Ball:\n    radius: float\n    """That it rolls on, m."""\n'),
    "note on an attribute of an object": (
        4,
        'class Ball:\n    def __init__(self):\n        self.radius = 1.0\n        """In metres."""\n',
    ),
    "argument in prose": (
        4,
        'def f(step, motion):\n    """Prepare.\n\n    step: length of the step, s; motion: before the step.\n    """\n',
    ),
    "argument in a summary": (2, 'def f(wait):\n    """Wait a while; wait: for how long, s."""\n'),
    "attribute in prose": (2, 'class Ball:\n    """A ball. radius: of the ball, m."""\n\n    radius: float\n'),
    "note in another branch": (5, 'if FAST:\n    STEP = 1\nelse:\n    STEP = 2\n    """Between two cycles."""\n'),
}

ACCEPTED = {
    "nouns": '''
class Wall:
    """Of all walls the lowest.

    Attributes:
        bottom: height of the wall's lower edge, m, in the frame
            of the field: that of the world.
        formed: the walls formed so far. Those outside do not count.
        inner: in-memory copy.
        points: (N, 3) corners of the mesh, m.
        colours: (N, 3), red, green and blue of each point.
    """
''',
    "other sections": '''
def f(a):
    """F.

    Args:
        a: a number.

    Returns:
        one, two: of the numbers.

    Note: of old. Stages: in order, a: number; other: of nothing.
    """
''',
    "longer words": 'OFFSET = 1.0\n"""Offset of the ball, m."""\n\nWHATS = 2\n"""Whatever it is."""\n',
    "strings that are no notes": 'print(1)\n"""Of no constant."""\nTEXT = "of the ball"\nNUMBER = 3\n4\n',
}


@pytest.mark.parametrize(("line", "source"), REFUSED.values(), ids=REFUSED)
def test_an_entry_without_a_noun_is_refused(line, source):
    assert [found for found, _ in problems(source)] == [line]


@pytest.mark.parametrize("source", ACCEPTED.values(), ids=ACCEPTED)
def test_everything_else_is_accepted(source):
    assert list(problems(source)) == []


def test_files_and_folders_are_checked(tmp_path, capsys):
    wrong = tmp_path / "room" / "wrong.py"
    wrong.parent.mkdir()
    wrong.write_text('SPEED = 3.0\n"""Of the ball, m/s."""\n')
    (tmp_path / "right.py").write_text('SPEED = 3.0\n"""Speed of the ball, m/s."""\n')
    assert main([str(tmp_path / "right.py")]) == 0
    assert capsys.readouterr().out == ""
    assert main([str(tmp_path)]) == main([str(wrong)]) == 1
    text = f"{wrong}:2: the note on a constant or attribute begins with 'Of'; say what the thing is, with its noun\n"
    assert capsys.readouterr().out == 2 * text
