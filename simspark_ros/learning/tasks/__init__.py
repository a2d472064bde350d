"""The tasks to learn: robots' starts, actions, observations and rewards."""

from simspark_ros.configuration.errors import suggestion
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.learning.tasks.base import Task
from simspark_ros.learning.tasks.drive import Drive
from simspark_ros.learning.tasks.get_up import GetUp
from simspark_ros.learning.tasks.goalkeeper import Goalkeeper
from simspark_ros.learning.tasks.kick import Kick
from simspark_ros.learning.tasks.kick_far import KickFar
from simspark_ros.learning.tasks.score import Score
from simspark_ros.learning.tasks.stand import Stand
from simspark_ros.learning.tasks.walk import Walk

TASKS: dict[str, type[Task]] = {
    task.name: task for task in (Stand, Walk, GetUp, Kick, KickFar, Goalkeeper, Score, Drive)
}
"""All tasks by their names."""


def task_of(name: str) -> type[Task]:
    """The task of this name; raises a `ConfigurationError` that lists all if there is none."""
    if name not in TASKS:
        raise ConfigurationError(f"there is no task '{name}'; {suggestion(name, TASKS)}")
    return TASKS[name]
