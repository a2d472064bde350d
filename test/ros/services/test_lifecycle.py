"""The simulator as a managed node: the states and transitions that lifecycle managers use."""

from collections.abc import Callable

from lifecycle_msgs.msg import Transition, TransitionEvent
from lifecycle_msgs.srv import GetAvailableStates, GetAvailableTransitions
from rcl_interfaces.srv import GetParameters

from simspark_ros.msg import SimulationState
from simspark_ros.srv import GetSimulationState, SetSimulationState
from test.rigs.ros_processes import Observer, Process
from test.ros.entities import change, state

PARAMETERS = ("robots:=['nao']", "pacing:=realtime")


def simulated(observer: Observer) -> int:
    return int(observer.call(GetSimulationState, "/get_simulation_state").state.state)


def transitions(observer: Observer) -> set[str]:
    found = observer.call(GetAvailableTransitions, "/simulator/get_available_transitions").available_transitions
    return {one.transition.label for one in found}


def half_time(observer: Observer) -> float:
    request = GetParameters.Request(names=["rule_book.game.half_time"])
    return float(observer.call(GetParameters, "/simulator/get_parameters", request).values[0].double_value)


def test_states_are_those_of_the_simulation_whoever_changes_it(simulator: Process, observer: Observer) -> None:
    events = observer.hear(TransitionEvent, "/simulator/transition_event")
    assert state(observer, "simulator") == "active" and transitions(observer) == {"deactivate", "shutdown"}
    assert change(observer, "simulator", "deactivate")
    assert state(observer, "simulator") == "inactive" and simulated(observer) == SimulationState.STATE_PAUSED
    request = SetSimulationState.Request()
    request.state.state = SimulationState.STATE_PLAYING
    observer.call(SetSimulationState, "/set_simulation_state", request)
    assert state(observer, "simulator") == "active"
    observer.until(lambda: len(events.messages) >= 2)
    last = events.messages[-1]
    assert (last.transition.label, last.start_state.label, last.goal_state.label) == ("activate", "inactive", "active")
    assert change(observer, "simulator", number=Transition.TRANSITION_DEACTIVATE)
    assert transitions(observer) == {"activate", "cleanup", "shutdown"}


def test_a_world_goes_and_comes_again(simulator: Process, observer: Observer) -> None:
    if state(observer, "simulator") == "active":
        assert change(observer, "simulator", "deactivate")
    assert observer.set_parameter("rule_book.game.half_time", 60.0) == ""
    assert change(observer, "simulator", "cleanup")
    assert "call load_world first" in observer.set_parameter("rule_book.game.half_time", 50.0)
    assert state(observer, "simulator") == "unconfigured" and simulated(observer) == SimulationState.STATE_NO_WORLD
    assert not change(observer, "simulator", "activate")
    assert not change(observer, "simulator", "configur")
    known = "use one of: configure, shutdown"
    simulator.wait_for_line(f"transition activate is refused: no such transition from the state unconfigured; {known}")
    simulator.wait_for_line(f"{known}; did you mean 'configure'?")
    assert change(observer, "simulator", "configure") and state(observer, "simulator") == "inactive"
    # The world has a rule book of its own, which the parameters show.
    observer.until(lambda: half_time(observer) == 300.0, "its half time")
    assert change(observer, "simulator", "activate") and simulated(observer) == SimulationState.STATE_PLAYING
    graph = observer.call(GetAvailableTransitions, "/simulator/get_transition_graph").available_transitions
    assert len(graph) == 7
    states = observer.call(GetAvailableStates, "/simulator/get_available_states").available_states
    assert {one.label for one in states} == {"unconfigured", "inactive", "active", "finalized", "configuring"}


def test_shutdown_ends_the_process(start: Callable[..., Process], observer: Observer, simulator: Process) -> None:
    other = start("simulator_node", "--ros-args", "-r", "__ns:=/other")
    other.wait_for_line("ready")
    assert change(observer, "other/simulator", "shutdown")
    observer.until(lambda: not other.running)
