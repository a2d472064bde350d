import re

import pytest
from grimp import ImportGraph

from scripts.check_docstrings import main, problems
from scripts.import_circles import NoCircles
from simspark_ros.configuration.resources import resource


def graph_of(*imports: str) -> ImportGraph:
    graph = ImportGraph()
    for one in imports:
        importer, imported = one.split()
        graph.add_import(importer=importer, imported=imported)
    return graph


def test_a_circle_is_named_and_two_folders_that_import_each_other_are_none(capsys: pytest.CaptureFixture[str]) -> None:
    contract = NoCircles("circles", {}, {})
    check = contract.check(graph_of("p.top p.loop", "p.loop p.world", "p.world p.rule", "p.rule p.loop"), verbose=False)
    assert not check.kept
    contract.render_broken_contract(check)
    named = capsys.readouterr().out.splitlines()
    assert sorted(named) == ["p.loop imports p.world", "p.rule imports p.loop", "p.world imports p.rule"]
    graph = graph_of("p.one.high p.two.middle", "p.two.middle p.one.low")
    assert NoCircles("circles", {}, {}).check(graph, verbose=False).kept


def test_generated_messages_are_imported_in_the_ros_room_alone() -> None:
    package = resource("simspark_ros")
    imports = re.compile(r"^\s*(from|import) simspark_ros\.(msg|srv|action)\b", re.M)
    users = [path for path in package.rglob("*.py") if imports.search(path.read_text())]
    assert users and {path.relative_to(package).parts[0] for path in users} == {"ros"}


SOURCE = '''"""A module.

Attributes:
    limit: for all.                                                   # refused
"""
def build(engine, points, corners):
    """Args:
    engine: of physics.                                               # refused
    points: (N, 3) of the mesh, m.                                    # refused
    corners: (N, 3).                                                  # refused
    colours: (N, 3), red, green and blue of each point.
    edges: (N, 2) ends of the edges, m.
    """
class Wall:
    """Of all walls the lowest. width: of the wall, m.                # refused

    Attributes:
        top: the upper edge's height above the ground, m; walls lower
            than that of the field are refused.
        bottom, left: of the wall, m.                                 # refused
        inner: in-memory copy, in the frame
            of the field: that of the world.
        formed: the walls formed so far. Those outside do not count.
    """
    width: float
    radius: float
    """That it rolls on, m."""                                        # refused
    def __init__(self):
        self.radius = 1.0
        """In metres."""                                              # refused
    def move(self, speed, **others):
        """Move it.

        Raises:
            ValueError: that it cannot.

        Args:
            speed (float): the wall's speed, m/s.
            **others: Whose edges it must not touch.                  # refused

        Returns:
            one, two: of the numbers.

        Note: of old. Stages: in order, speed: number; other: of nothing.
        """
def wait(step, wait):
    """Wait a while; wait: for how long, s.                           # refused

    step: length of the step, s; wait: before the step.               # refused
    """
CORNERS = ()
"""(8, 3), of a cube."""                                              # refused
SPEED: float = 3.0
"""                                                                   # refused
of the ball, m/s."""
OFFSET = 1.0
"""Offset of the ball, m."""
WHATS = 2

"""Whatever it is."""
print(1)
"""Of no constant."""
TEXT = "of the ball"
if FAST:
    STEP = 1
else:
    STEP = 2

    """Between two cycles."""                                         # refused
'''


def test_entries_without_a_noun_are_refused_in_files_and_folders_and_nothing_else(tmp_path, capsys) -> None:
    lines = [line.partition("# refused") for line in SOURCE.splitlines()]
    wrong = [number for number, (_, mark, _) in enumerate(lines, 1) if mark]
    assert sorted(found for found, _ in problems("\n".join(text.rstrip() for text, _, _ in lines))) == wrong
    wrong = tmp_path / "room" / "wrong.py"
    wrong.parent.mkdir()
    wrong.write_text('SPEED = 3.0\n"""Of the ball, m/s."""\n')
    (tmp_path / "right.py").write_text('SPEED = 3.0\n"""Speed of the ball, m/s."""\n')
    assert main([str(tmp_path / "right.py")]) == 0 and capsys.readouterr().out == ""
    assert main([str(tmp_path)]) == main([str(wrong)]) == 1
    text = f"{wrong}:2: the note on a constant or attribute begins with 'Of'; say what the thing is, with its noun\n"
    assert capsys.readouterr().out == 2 * text
