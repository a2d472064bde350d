import numpy as np
import pytest

from simspark_ros.exchange import Percepts, RobotLayout
from simspark_ros.protocol.monitor.encoder import MonitorEncoder
from simspark_ros.protocol.monitor.look import load_look
from simspark_ros.protocol.monitor.reader import MonitorReader
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.soccer.teams import Side
from simspark_watching.broadcast.scene_recognition import SceneRecognizer
from test.protocol.monitor.conftest import FRAMES as SESSION
from watching.test.broadcast.scenes import FINDER, percepts, robot, shown

ALL_ROBOTS = (*((("nao", variant)) for variant in range(5)), ("nao_v6", 0), ("sphere", 0))


def test_the_robot_and_the_ball_of_the_recorded_session_are_recognised():
    reader = MonitorReader()
    reader.show(SESSION[0])
    objects = FINDER.find(reader.nodes)
    (seen,) = objects.robots
    assert (seen.robot, seen.variant, seen.side, seen.unum) == ("nao", 2, Side.LEFT, 5)
    assert [link for link, _ in seen.links] == [link.name for link in load_robot("nao", 2).model.links]
    assert objects.ball is not None and reader.nodes[objects.ball + 1].load == "models/soccerball.obj"


@pytest.mark.parametrize(("name", "variant"), ALL_ROBOTS)
def test_every_robot_is_recognised_with_all_its_links(name, variant):
    reader = shown(robot(name, variant, "right", 11), robot(name, variant, "", 0))
    roles = FINDER.find(reader.nodes).robots
    assert [(seen.robot, seen.variant) for seen in roles] == 2 * [(name, variant)]
    if name == "nao":
        assert [(seen.side, seen.unum) for seen in roles] == [(Side.RIGHT, 11), (None, 0)]
    links = [link.name for link in load_robot(name, variant).model.links]
    assert all([link for link, _ in seen.links] == links for seen in roles)
    # Each link has the frame of its own node: all of them are at different places here.
    places = reader.world()[[node for _, node in roles[0].links], 0, 3]
    assert places == pytest.approx(np.arange(len(links)) * 0.1)


def test_an_unknown_robot_is_shown_part_by_part_and_goals_and_agents_without_a_robot_are_none():
    unknown = RobotLayout(1, "", "tripod", 0, "", "left", 3, 0, (), (), (), ("body", "leg1", "leg2", "leg3"))
    (seen,) = FINDER.find(shown(unknown).nodes).robots
    assert seen.robot == "" and len(seen.links) == 4 and FINDER.find(shown().nodes).robots == ()
    encoder, reader = MonitorEncoder(load_look()), MonitorReader()
    moment: Percepts = percepts(robot("nao", 0, "left", 1))
    encoder.adopt(moment.layout, waiting=2)
    frame = encoder.encode(moment, full=True, partial=False).full
    assert frame is not None
    reader.show(frame)
    assert len(SceneRecognizer(load_look()).find(reader.nodes).robots) == 1
