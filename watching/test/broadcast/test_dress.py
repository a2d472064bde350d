from simspark_ros.physics.model import Link, Shape, ShapeKind
from simspark_ros.rendering.drawing.bodies import TEAM_COLOURS
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.soccer.teams import Side
from simspark_watching.broadcast.dress import dressed, links_of_known

TEAM = TEAM_COLOURS[Side.LEFT]
RED, BLACK = (0.7, 0.1, 0.1, 1.0), (0.1, 0.1, 0.1, 1.0)
GREY, WHITE, ORANGE = (0.5, 0.5, 0.5, 1.0), (1.0, 1.0, 1.0, 1.0), (1.0, 0.5, 0.0, 1.0)


def link(name, *colours):
    shapes = tuple(Shape(ShapeKind.BOX, (0.1, 0.1, 0.1), rgba=colour) for colour in colours)
    return Link(name, 1.0, (1.0, 0.0, 0.0, 1.0, 0.0, 1.0), visuals=shapes)


def colours(links):
    return [[shape.rgba for shape in one.visuals] for one in links]


def test_coloured_parts_or_of_a_grey_robot_the_first_visible_link_take_the_colour_of_the_team():
    assert colours(dressed([link("base", GREY), link("arm", ORANGE, WHITE)], Side.LEFT)) == [[GREY], [TEAM, WHITE]]
    plain = [link("root"), link("base", GREY, WHITE), link("arm", GREY)]
    assert colours(dressed(plain, Side.LEFT)) == [[], [TEAM, TEAM], [GREY]]


def test_robots_without_a_team_keep_their_own_colours():
    assert colours(dressed([link("base", GREY), link("arm", ORANGE)], None)) == [[GREY], [ORANGE]]
    for side, wanted in ((None, {RED, BLACK}), (Side.LEFT, {TEAM, BLACK})):
        worn = links_of_known("differential", 0, side, [one.name for one in load_robot("differential").model.links])
        assert {shape.rgba for part in worn for shape in part.visuals} == wanted


def test_the_nao_wears_a_shirt_and_parts_of_an_unknown_robot_are_balls():
    torso, foot = (colours([one])[0] for one in links_of_known("nao", 0, Side.LEFT, ["torso", "rfoot"]))
    blue = [rgba for rgba in torso if rgba[2] > 2.0 * rgba[0]]
    assert blue and not [rgba for rgba in foot if rgba[2] > 2.0 * rgba[0]]
    body, part = links_of_known("", 0, Side.RIGHT, ["", ""])
    assert body.visuals[0].size > part.visuals[0].size and body.visuals[0].kind is ShapeKind.SPHERE
