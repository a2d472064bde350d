"""Settings of `simspark learn`; without the libraries that it needs, so that the command line is made without them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from simspark_ros.configuration.schema import Checked, ConfigurationError, Range, Setting, key_and_value


@dataclass(frozen=True)
class LearnSettings(Checked):
    """Task, length and output of a training.

    Attributes:
        ray: address of the Ray cluster whose processes have the worlds, see `Cluster`; None = this machine's.
    """

    task: str
    output: Annotated[
        Path | None, Setting("folder for policy, curve and picture; empty = learn-TASK", metavar="DIR")
    ] = None
    method: Annotated[
        Literal["es", "ppo"],
        Setting("es = evolution strategy of a linear policy, in numpy; ppo = PPO of a network, by stable-baselines3"),
    ] = "es"
    steps: Annotated[int, Range(1, 10**12), Setting("number of actions in training, of all robots together")] = (
        1_000_000
    )
    robots: Annotated[
        int, Range(1, 4096), Setting("number of robots that learn at the same time, up to 64 in a world")
    ] = 32
    rollout: Annotated[int, Range(64, 10**9), Setting("actions of all robots between two updates by PPO")] = 8192
    processes: Annotated[int, Range(1, 1024), Setting("number of processes over which the worlds are spread")] = 1
    smooth: Annotated[
        bool,
        Setting(
            "PPO explores by noise that changes smoothly from action to action, as motions need, and is not drawn "
            "anew each time"
        ),
    ] = False
    observation: Annotated[
        Literal["", "truth", "percepts"],
        Setting(
            "source of observations; policies of percepts can run as a ROS node; empty = percepts if the task has them"
        ),
    ] = ""
    engine: Annotated[str, Setting("physics engine; empty = the task's")] = ""
    robot: Annotated[str, Setting("robot, a name or a YAML file; empty = the task's")] = ""
    seed: Annotated[int, Range(0, 2**31 - 1), Setting("seed of all randomness")] = 1
    options: Annotated[
        tuple[str, ...], Setting("option of the task, e.g. push=0.8", option="set", metavar="KEY=VALUE")
    ] = ()
    ray: str | None = None

    def __post_init__(self) -> None:
        """Refuse a cluster that would have nothing to do."""
        super().__post_init__()
        if self.ray is not None and self.processes == 1:
            raise ConfigurationError(
                "--ray spreads the worlds of several processes over a cluster: give --processes N, 2 or more"
            )

    @property
    def folder(self) -> Path:
        """The folder for the output."""
        return self.output or Path(f"learn-{self.task}")

    @property
    def task_options(self) -> dict[str, Any]:
        """Arguments of the environment, by name.

        Raises:
            ConfigurationError: an option is not KEY=VALUE.
        """
        chosen: dict[str, Any] = {
            name: value for name, value in (("engine", self.engine), ("robot", self.robot)) if value
        }
        for text in self.options:
            change = key_and_value(text)
            if change is None:
                raise ConfigurationError(f"--set {text}: must be KEY=VALUE, e.g. push=0.8")
            key, value = change
            chosen[key] = value
        return chosen
