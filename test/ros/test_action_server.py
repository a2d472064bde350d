"""Servers of actions."""

from typing import Any

from rclpy.action import ActionClient
from rclpy.action.server import GoalInfo, GoalStatus
from rclpy.executors import SingleThreadedExecutor
from rclpy.task import Future

from simspark_ros.action import SimulateSteps
from simspark_ros.ros.action_server import create_action_server
from test.rigs.ros_nodes import RosNodes
from test.rigs.waiting import DEADLINE, until


def test_a_goal_that_runs_has_a_result_although_rcl_takes_it_for_one_that_is_long_over(room: RosNodes):
    node = room.node("simulator")
    goals: list[Any] = []
    end: Any = Future()

    async def execute(goal: Any) -> Any:
        goals.append(goal)
        await end
        goal.succeed()
        return SimulateSteps.Result()

    server: Any = create_action_server(node, SimulateSteps, "steps", execute, lambda: True, lambda goal: None)
    client: Any = ActionClient(node, SimulateSteps, "steps")
    executor = SingleThreadedExecutor(context=node.context)
    executor.add_node(node)

    def spin() -> None:
        executor.spin_once(0.01)

    assert client.wait_for_server(DEADLINE)
    sent = client.send_goal_async(SimulateSteps.Goal())
    until(lambda: sent.done() and goals, spin)
    result = sent.result().get_result_async()
    named = executor.create_task(server._execute_expire_goals, (GoalInfo(goal_id=goals[0].goal_id),))
    until(named.done, spin)
    end.set_result(None)
    until(result.done, spin)
    assert result.result().status == GoalStatus.STATUS_SUCCEEDED
    # Now it is over, and what rcl names twice does no harm.
    named = executor.create_task(server._execute_expire_goals, ())
    until(named.done, spin)
    assert server._goal_handles == {}
    executor.shutdown(0)
