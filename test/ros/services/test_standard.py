"""simulation_interfaces, whole: every service and the action on real DDS, with our types of the same fields."""

import math
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from geometry_msgs.msg import Vector3
from rclpy.action import ActionClient
from sensor_msgs.msg import JointState

from simspark_ros import srv
from simspark_ros.action import SimulateSteps
from simspark_ros.msg import Resource, Result, SpawnEntity
from simspark_ros.ros.services import standard
from simspark_ros.ros.services.standard import ACTION, FEATURES, SERVICES, installed_interfaces, resource_of
from test.rigs.ros_processes import Observer, Process, seconds
from test.ros.simulator.test_continuation import CART

PARAMETERS = ("robots:=['one=nao']", "services_namespace:=control")
STOPPED, PLAYING, PAUSED, NO_WORLD = 0, 1, 2, 4


class Standard:
    """Calls services by their names; fields with two underscores are those of fields."""

    def __init__(self, observer: Observer) -> None:
        self.observer = observer

    def __call__(self, service: str, **fields: Any) -> Any:
        kind = getattr(srv, SERVICES[service])
        request = kind.Request()
        for path, value in fields.items():
            *parents, name = path.split("__")
            message = request
            for parent in parents:
                message = getattr(message, parent)
            setattr(message, name, value)
        return self.observer.call(kind, f"/control/{service}", request)

    def result(self, service: str, **fields: Any) -> int:
        return int(self(service, **fields).result.result)

    def entities(self, **filters: Any) -> list[str]:
        fields = {f"filters__{name}": value for name, value in filters.items()}
        answer = self("get_entities", **fields)
        assert answer.result.result == Result.RESULT_OK, answer.result.error_message
        return list(answer.entities)


@pytest.fixture
def call(observer: Observer) -> Standard:
    made = Standard(observer)
    made("set_simulation_state", state__state=PLAYING)
    return made


def test_every_service_is_offered_and_filters_select_by_name_tags_and_place(call: Standard, simulator: Process) -> None:
    call("get_simulator_features")
    services = call.observer.node.get_service_names_and_types()
    assert {f"/control/{name}" for name in SERVICES} <= {name for name, _ in services}
    features = call("get_simulator_features").features
    assert list(features.features) == list(FEATURES)
    assert list(features.spawn_formats) == ["simspark", "urdf", "xacro", "sdf", "mjcf", "rsg"]
    assert "is not offered" not in simulator.output
    assert call.entities() == ["field", "ball", "one"]
    assert call.entities(filter="o.*|ball") == ["ball", "one"]
    call("set_entity_info", entity="one", info__tags=["mine"])
    assert call.entities(tags__tags=["mine", "other"]) == ["one"]
    assert call.entities(tags__tags=["mine", "other"], tags__filter_mode=1) == []
    ball = call("get_entity_state", entity="ball").state.pose.position
    around = [Vector3(x=ball.x, y=ball.y), Vector3(x=0.1)]
    assert "ball" in call.entities(bounds__type=3, bounds__points=around)
    assert call.result("get_entities", filters__filter="(") == Result.RESULT_OPERATION_FAILED
    nowhere = [Vector3(x=math.nan), Vector3(x=1.0)]
    assert call.result("get_entities", filters__bounds__type=3, filters__bounds__points=nowhere) == 4


def test_states_are_set_and_read(call: Standard) -> None:
    call("set_simulation_state", state__state=PAUSED)
    set_ball = {"entity": "ball", "set_pose": True, "set_twist": True}
    assert call.result("set_entity_state", **set_ball, state__pose__position__z=1.0, state__twist__linear__x=2.0) == 1
    state = call("get_entity_state", entity="ball").state
    assert (state.pose.position.z, state.twist.linear.x, state.header.frame_id) == (1.0, 2.0, "map")
    assert call.result("step_simulation", steps=10) == Result.RESULT_OK
    moved = call("get_entity_state", entity="ball").state
    assert moved.pose.position.x == pytest.approx(0.4, abs=0.03)
    assert seconds(moved.header.stamp) == pytest.approx(seconds(state.header.stamp) + 0.2)
    assert [one.header.frame_id for one in call("get_entities_states").states] == ["map"] * 3
    assert call.result("get_entity_bounds", entity="one") == Result.RESULT_OK


@pytest.mark.parametrize(
    ("fields", "result"),
    [
        ({"entity": "nobody", "set_pose": True}, Result.RESULT_NOT_FOUND),
        ({"entity": "field", "set_pose": True}, Result.RESULT_OPERATION_FAILED),
        ({"entity": "one"}, Result.RESULT_OPERATION_FAILED),
        ({"entity": "one", "set_pose": True, "state__pose__position__x": math.nan}, 101),
        ({"entity": "one", "set_pose": True, "state__pose__position__x": 1e300}, 101),
        ({"entity": "one", "set_pose": True, "state__pose__orientation__x": 1e300}, 101),
        ({"entity": "one", "set_pose": True, "state__header__frame_id": "odom"}, 101),
        ({"entity": "one", "set_twist": True, "state__twist__linear__y": math.inf}, Result.RESULT_OPERATION_FAILED),
        ({"entity": "one", "set_acceleration": True, "state__acceleration__linear__x": 1.0}, 0),
    ],
)
def test_absurd_states_are_refused_in_words(call: Standard, fields: dict[str, Any], result: int) -> None:
    answer = call("set_entity_state", **fields)
    assert answer.result.result == result and answer.result.error_message


def test_a_wrong_frame_is_refused_with_the_right_one(call: Standard) -> None:
    answer = call("set_entity_state", entity="one", set_pose=True, state__header__frame_id="odom")
    assert "use 'map'" in answer.result.error_message


def test_robots_are_spawned_from_texts_and_several_at_once(call: Standard) -> None:
    name = call("spawn_entity", allow_renaming=True, entity_resource__resource_string=CART).entity_name
    assert name == "cart"
    assert call.result("spawn_entity", name="bad", entity_resource__resource_string="<robot") == 106
    tall = call("spawn_entity", name="tall", entity_resource__uri="nao/3?thigh_z=-0.06&ankle_z=-0.075").entity_name
    assert tall == "tall" and call.result("delete_entity", entity=tall) == Result.RESULT_OK
    refused = call("spawn_entity", name="giant", entity_resource__uri="nao?thigh_z=-3").result
    assert refused.result == 106 and "thigh_z is -3 and must be at least" in refused.error_message
    wishes = [SpawnEntity(name=name, entity_resource=Resource(uri="nao/4")) for name in ("two", "two")]
    answer = call("spawn_entities", spawn_requests=wishes)
    assert (answer.result.result, [one.result.result for one in answer.results]) == (150, [1, 101])
    assert call.entities() == ["field", "ball", "one", "cart", "two"]
    assert call.result("reset_simulation", scope=4) == Result.RESULT_OK
    assert call.entities() == ["field", "ball", "one"]


def test_spawnables_and_named_poses_can_be_used(call: Standard) -> None:
    answer = call("get_spawnables", sources=["/nowhere.yaml"])
    assert answer.result.result == Result.RESULT_OK and "/nowhere.yaml" in answer.result.error_message
    uri = answer.spawnables[1].entity_resource.uri
    place = call("get_named_poses", tags__tags=["start", "right"], tags__filter_mode=1).poses[4]
    wish = {"name": "there", "entity_resource__uri": uri, "initial_pose__pose": place.pose}
    assert call.result("spawn_entity", **wish) == Result.RESULT_OK
    pose = call("get_entity_state", entity="there").state.pose
    # Half a turn to either side is the same.
    assert (pose.position.x, abs(pose.orientation.z)) == pytest.approx((place.pose.position.x, 1.0), abs=0.02)
    assert call("get_named_pose_bounds", name=place.name).bounds.type == 1
    assert call.result("get_named_pose_bounds", name="nowhere") == Result.RESULT_NOT_FOUND
    call("delete_entity", entity="there")


def test_the_action_steps_tells_of_each_step_and_is_cancelled(call: Standard) -> None:
    observer = call.observer
    client = ActionClient(observer.node, SimulateSteps, f"/control/{ACTION}")
    observer.until(client.server_is_ready, "the action")

    def done(future: Any) -> Any:
        observer.until(future.done, "an answer of the action")
        return future.result()

    def goal(steps: int) -> Any:
        return done(client.send_goal_async(SimulateSteps.Goal(steps=steps)))

    assert done(goal(3).get_result_async()).result.result.result == Result.RESULT_INCORRECT_STATE
    call("set_simulation_state", state__state=PAUSED)
    # Not the client's callback: rclpy takes one message at a time, and none any more once the result is there.
    with observer.hear(SimulateSteps.Impl.FeedbackMessage, f"/control/{ACTION}/_action/feedback") as told:
        observer.until(lambda: observer.node.count_publishers(f"/control/{ACTION}/_action/feedback"), "its feedback")

        def made() -> list[tuple[int, int]]:
            told.messages.clear()
            assert done(goal(5).get_result_async()).result.result.result == Result.RESULT_OK
            observer.drain()
            return [(said.feedback.completed_steps, said.feedback.remaining_steps) for said in told.messages]

        # The server may find this subscriber later than it finds the server: what is told before is lost.
        observer.until(lambda: made() == [(1, 4), (2, 3), (3, 2), (4, 1), (5, 0)], "feedback of each step")
    long = goal(10**9)
    assert not goal(1).accepted
    assert call.result("step_simulation", steps=1) == Result.RESULT_INCORRECT_STATE
    done(long.cancel_goal_async())
    assert "cancelled after" in done(long.get_result_async()).result.result.error_message
    assert call.result("step_simulation", steps=1) == Result.RESULT_OK
    client.destroy()


def test_worlds_are_loaded_unloaded_and_listed(call: Standard) -> None:
    assert call("get_current_world").world.name == "soccer"
    assert [one.name for one in call("get_available_worlds", filter__tags=["msl"]).worlds] == ["msl"]
    assert call.result("unload_world") == Result.RESULT_OK
    assert call("get_simulation_state").state.state == NO_WORLD
    assert call.result("get_entities") == call.result("reset_simulation") == Result.RESULT_INCORRECT_STATE
    assert call.result("set_simulation_state", state__state=PLAYING) == 103
    assert call.result("get_current_world") == call.result("unload_world") == 101
    assert call.result("load_world", world_resource__uri="nowhere") == 102
    assert call.result("load_world", world_resource__resource_string="a: 1") == 103
    text = "based_on: soccer\nteams: {size: 2}"
    assert call.result("load_world", world_resource__resource_string=text) == Result.RESULT_OK
    assert call("get_current_world").world.world_resource.resource_string == text
    assert call("get_simulation_state").state.state == STOPPED
    assert len(call("get_named_poses", tags__tags=["start"]).poses) == 4
    # A robot of the same name and number as one of the world before has topics again.
    assert call.result("spawn_entity", name="one", entity_resource__uri="nao") == Result.RESULT_OK
    call("set_simulation_state", state__state=PLAYING)
    call.observer.until(lambda: "/one/joint_states" in call.observer.topics(), "its topics")
    with call.observer.hear(JointState, "/one/joint_states") as joints:
        joints.wait()


def test_types_of_any_installed_version_are_used_and_what_it_lacks_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    types = ModuleType("simulation_interfaces.srv")
    types.GetSimulatorFeatures = types.SpawnEntity = object  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "simulation_interfaces", ModuleType("simulation_interfaces"))
    monkeypatch.setitem(sys.modules, "simulation_interfaces.srv", types)
    found = installed_interfaces()
    assert found.package == standard.STANDARD
    assert set(found.services) == {"get_simulator_features", "spawn_entity"}
    assert set(found.lacking()) == {*SERVICES, ACTION} - set(found.services)
    old = SimpleNamespace(uri="nao", resource_string="")
    assert resource_of(old) is old
    assert resource_of(SimpleNamespace(world_resource=old)) is old


def test_a_file_that_was_edited_after_its_robot_was_deleted_is_read_again(call: Standard, tmp_path: Path) -> None:
    inertial = '<inertial><mass value="5"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>'
    path = tmp_path / "box.urdf"
    for height in (0.3, 0.6):
        solid = f'<collision><geometry><box size="0.3 0.3 {height}"/></geometry></collision>'
        path.write_text(f'<robot name="b"><link name="base">{inertial}{solid}</link></robot>', encoding="utf-8")
        assert call.result("spawn_entity", name="b", entity_resource__uri=str(path)) == Result.RESULT_OK
        heights = [point.z for point in call("get_entity_bounds", entity="b").bounds.points]
        assert max(heights) - min(heights) == pytest.approx(height)
        assert call.result("delete_entity", entity="b") == Result.RESULT_OK
