"""The tasks to learn: robots' starts, actions, observations and rewards."""

from simspark_learning.tasks.base import Task
from simspark_learning.tasks.drive import DriveTask
from simspark_learning.tasks.get_up import GetUpTask
from simspark_learning.tasks.goalkeeper import GoalkeeperTask
from simspark_learning.tasks.kick import KickTask
from simspark_learning.tasks.kick_far import KickFarTask
from simspark_learning.tasks.score import ScoreTask
from simspark_learning.tasks.stand import StandTask
from simspark_learning.tasks.walk import WalkTask
from simspark_ros.configuration.errors import suggestion
from simspark_ros.configuration.schema import ConfigurationError

TASKS: dict[str, type[Task]] = {
    task.name: task
    for task in (StandTask, WalkTask, GetUpTask, KickTask, KickFarTask, GoalkeeperTask, ScoreTask, DriveTask)
}
"""All tasks by their names."""


def task_of(name: str) -> type[Task]:
    """The task of this name; raises a `ConfigurationError` that lists all if there is none."""
    if name not in TASKS:
        raise ConfigurationError(f"there is no task '{name}'; {suggestion(name, TASKS)}")
    return TASKS[name]
