import asyncio
import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.physics.model import BallModel
from simspark_ros.protocol.monitor import inspection as monitor
from simspark_ros.protocol.monitor.inspection import InspectedJoint, InspectedRobot, Readings, Roster, write
from simspark_ros.rendering.scene_models import line_of_model
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import RobotDescription
from simspark_watching.broadcast.scene_recognition import Crowd
from simspark_watching.viewer.inspection import Inspection
from simspark_watching.viewer.meshes import build_bodies
from simspark_watching.viewer.panels.entities import MARK
from simspark_watching.viewer.panels.plot import Plot
from test.rigs.waiting import until
from watching.test.broadcast.scenes import FINDER, robot, shown
from watching.test.viewer.conftest import browser, viewing

pytest.importorskip("viser", reason="viser is not installed")

BALL = BallModel(0.042, 0.026)
JOINTS = (InspectedJoint("neck", -1.0, 1.0, "rad"), InspectedJoint("lift", 0.0, 0.4, "m"))


def roster_of(*descriptions: RobotDescription, side: str = "", unum: int = 0) -> Roster:
    kinds = tuple(monitor.InspectedKind(line_of_model(one), JOINTS, ("gyroscope torso x",)) for one in descriptions)
    robots = tuple(InspectedRobot(number, number, f"thing_{number}", side, unum) for number in range(len(kinds)))
    return Roster(robots, kinds)


def longer(factor: float) -> RobotDescription:
    """A nao all of whose visuals are larger."""
    nao = load_robot("nao", 0)
    links = []
    for link in nao.model.links:
        visuals = tuple(replace(one, size=tuple(factor * size for size in one.size)) for one in link.visuals)
        links.append(replace(link, visuals=visuals))
    return replace(nao, model=replace(nao.model, links=tuple(links)))


def test_a_robot_is_drawn_as_its_server_describes_it_and_not_as_its_kind_usually_looks():
    nodes = shown(robot("nao", 0, "left", 1)).nodes
    crowd = Crowd.of(roster_of(longer(2.0), side="left", unum=1))
    sizes = []
    for objects in (FINDER.find(nodes), FINDER.find(nodes, crowd)):
        _, batches = build_bodies(objects, BALL)
        # Those with scales are digits.
        bodies = [batch.mesh for batch in batches if not batch.is_mark and batch.scales is None]
        sizes.append(max(float(np.ptp(mesh.vertices, axis=0).max()) for mesh in bodies))
        (seen,) = objects.robots
        assert len(seen.links) == len(load_robot("nao", 0).model.links)
    # Round bodies are made of few flat sides.
    assert sizes[1] == pytest.approx(2.0 * sizes[0], rel=0.1)


def test_an_object_of_one_link_is_drawn_without_a_ring():
    sphere = replace(load_robot("sphere", 0), is_object=True)
    objects = FINDER.find(shown(robot("sphere", 0, "", 0)).nodes, Crowd.of(roster_of(sphere)))
    assert [seen.name for seen in objects.robots] == ["thing_0"]
    bodies, batches = build_bodies(objects, BALL)
    assert len(bodies.torsos) == 1
    assert len([batch for batch in batches if batch.is_mark]) == 1, "the ball's arrow"


WRONG = [b"{", b"{}", b'{"roster": {"robots": [{"handle": 1, "kind": 1}]}}', b'{"roster": {"kinds": [{"body": "x"}]}}']
WRONG += [write(Readings(1, math.inf)), b'{"readings": {"handle": 1, "time": 1, "positions": "x"}}']


def test_messages_that_cannot_be_used_are_refused_and_the_list_before_stays():
    inspection = Inspection()
    inspection.take(write(roster_of(load_robot("nao", 0))))
    before = inspection.crowd
    for payload in WRONG:
        with pytest.raises(ConfigurationError):
            inspection.take(payload)
        assert inspection.crowd is before


def test_a_server_is_asked_once_for_what_is_chosen_and_what_it_tells_is_kept_until_it_lists_none():
    inspection, roster = Inspection(), roster_of(load_robot("nao", 0))
    assert [inspection.request(), inspection.request()] == ["(inspect)", ""]
    inspection.take(write(roster))
    assert inspection.crowd is not None and inspection.crowd.roster == roster
    inspection.take(write(Readings(3, 1.5, (0.1,), (0.2,), (0.3,), (math.nan, 4.0))))
    inspection.chosen = 3
    assert [inspection.request(), inspection.request()] == ["(inspect (robot 3))", ""]
    (told,) = inspection.take_readings()
    assert told.time == 1.5 and told.sensors == pytest.approx((math.nan, 4.0), nan_ok=True)
    inspection.take(write(Roster()))
    assert inspection.crowd is None


def press(entities: Any, branch: str, label: str) -> None:
    (pressed,) = entities._rows[branch]._impl.update_cb
    asyncio.run(pressed(SimpleNamespace(target=SimpleNamespace(value=label))))


@pytest.fixture
def panel(server: Any) -> Any:
    """The panel of a viewer that has been told of one robot, and looks into it."""
    with viewing(server.port, rate=5.0) as viewer, browser(viewer.url):
        until(lambda: viewer.pictures > 1)
        viewer._inspection.take(write(roster_of(load_robot("nao", 0), side="left", unum=1)))
        robots, entities = viewer._page._robot, viewer._page._entities
        until(lambda: entities._rows["left"].options == ("1",))
        press(entities, "left", "1")
        until(lambda: len(robots._sliders) == len(JOINTS))
        yield SimpleNamespace(viewer=viewer, robots=robots, entities=entities)


def test_a_chosen_robot_shows_its_joints_and_sensors_and_its_sliders_turn_them(panel, server):
    until(lambda: "(inspect (robot 0))" in server.heard)
    panel.viewer._inspection._readings.append(Readings(0, 1.0, (0.5, 0.1), (0.0, 0.0), (0.0, 0.0), (1.25,)))
    (neck, *_), (lift, *_) = panel.robots._sliders
    until(lambda: "1.25" in panel.robots._sensors.content)
    assert (neck.value, lift.value) == (pytest.approx(math.degrees(0.5), abs=0.1), pytest.approx(0.1))
    event = SimpleNamespace(client_id=1)
    neck._impl.value = math.degrees(-0.25)
    for callback in neck._impl.update_cb:
        with pytest.raises(StopIteration):
            callback(event).send(None)
    until(lambda: "(turnJoint (robot 0)(joint neck)(position -0.2500))" in server.heard)


def test_a_click_chooses_a_robot_and_a_push_is_seen_from_it(panel, server):
    press(panel.entities, "left", f"{MARK}1")
    until(lambda: server.heard[-1] == "(inspect)")
    assert panel.entities._rows["left"].options == ("1",)
    page = panel.viewer._page
    page._clicked(int(page.stage.bodies.torsos[0]) + 3)
    until(lambda: server.heard[-1] == "(inspect (robot 0))")
    assert panel.entities._rows["left"].options == (f"{MARK}1",)
    # The robots of the scene face +x.
    with pytest.raises(StopIteration):
        panel.robots._pushed(SimpleNamespace(target=SimpleNamespace(value="left"))).send(None)
    until(lambda: server.heard[-1].startswith("(push (robot 0)(impulse "))


def test_a_ring_lies_around_what_is_chosen_and_goes_with_it(panel):
    stage = panel.viewer._page.stage
    until(lambda: stage._ring is not None and stage._ring.visible)
    torso = stage.positions[stage.bodies.torsos[0]]
    (place,) = stage._ring.batched_positions
    assert np.allclose(place[:2], torso[:2], atol=1e-3) and place[2] < 0.05
    press(panel.entities, "left", f"{MARK}1")
    until(lambda: not stage._ring.visible)


def test_its_sliders_stay_when_another_robot_comes(panel):
    sliders = list(panel.robots._sliders)
    told = roster_of(load_robot("nao", 0), side="left", unum=1)
    more = replace(told, robots=(*told.robots, InspectedRobot(1, 0, "", "left", 2)))
    panel.viewer._inspection.take(write(more))
    until(lambda: panel.entities._rows["left"].options == (f"{MARK}1", "2"))
    # Each that is made anew leaves a message about the one before, until another browser comes.
    assert [slider for slider, *_ in panel.robots._sliders] == [slider for slider, *_ in sliders]


def test_an_object_without_sensors_and_joints_has_no_empty_folders(panel):
    robots = panel.robots
    assert robots._readings.visible and robots._plot._choice.visible and robots._joints.visible
    robots._build(monitor.InspectedKind("box"))
    assert not (robots._readings.visible or robots._plot._choice.visible or robots._joints.visible)
    assert robots._push.visible


def readings(time: float, neck: float, gyroscope: float, handle: int = 0) -> Readings:
    return Readings(handle, time, (neck, 0.1), (0.0, 0.0), (0.0, 0.0), (gyroscope,))


def test_a_chosen_reading_is_plotted_over_the_last_seconds_and_without_a_choice_nothing_is_kept(request):
    server = pytest.importorskip("viser").ViserServer("127.0.0.1", 0, verbose=False)
    request.addfinalizer(server.stop)
    plot = Plot(server.gui)
    plot.offer(roster_of(load_robot("nao", 0)).kinds[0])
    plot.take([readings(1.0, 0.1, 2.0)])
    plot.show()
    assert not plot._samples and not plot._curve.visible
    plot._choice.value = "neck position, degrees"
    plot.take([readings(float(time), 0.1 * time, math.nan) for time in range(1, 13)])
    plot.show()
    times, values = plot._curve.data
    assert plot._curve.visible and times.tolist() == [float(time) for time in range(2, 13)]
    assert values == pytest.approx(np.degrees(0.1 * times))
    # Time that goes back, another reading, another robot begin anew; what has no value is left out.
    plot.take([readings(0.5, 0.1, 0.0)])
    assert len(plot._samples) == 1
    plot._choice.value = "gyroscope torso x"
    plot.take([readings(1.0, 0.1, math.nan), readings(2.0, 0.1, 3.0)])
    assert list(plot._samples) == [(2.0, 3.0)]
    plot.take([readings(3.0, 0.1, 4.0, handle=1)])
    assert list(plot._samples) == [(3.0, 4.0)]
    plot.offer(None)
    plot.take([])
    assert not plot._samples and not plot._curve.visible and not plot._choice.visible
