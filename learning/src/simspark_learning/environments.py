"""The tasks as environments of Gymnasium, one robot or many at a time.

import gymnasium

env = gymnasium.make("simspark_learning.environments:simspark_ros/Stand-v0", engine="mujoco")
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from simspark_learning.tasks import TASKS
from simspark_learning.tasks.base import Observation
from simspark_learning.worlds import RunningEpisodes, Wish, make_episodes
from simspark_ros.configuration.errors import MissingPackageError

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError as error:
    raise MissingPackageError(
        f"environments need the package 'gymnasium': {error}; install it with pip install gymnasium"
    ) from error

Numbers = NDArray[np.float32]
"""Observations and actions of environments."""

Infos = dict[str, Any]


class SimulatedEnv(gymnasium.Env):
    """One robot with a task.

    A `reset` with a seed makes a new world, so that all that follows is the same bit by bit; one without a seed goes on
    in the same world with the next episode. `info` has `success`.

    Args:
        task: name of the task, see `TASKS`.
        observation: `truth`, or `percepts`, the readings of sensors.
        render_mode: `rgb_array` for pictures.
        options: options of the task, `robot`, and settings of `Arena`, such as `engine`.

    Raises:
        ConfigurationError: a name or an option cannot be used.
    """

    metadata: ClassVar[Infos] = {"render_modes": ["rgb_array"], "render_fps": 25}

    def __init__(
        self, task: str, observation: Observation = "truth", render_mode: str | None = None, **options: Any
    ) -> None:
        self._episodes = Wish(task, observation, options).episodes(1)
        self.render_mode = render_mode
        self.observation_space, self.action_space = _spaces(self._episodes)
        self._seed = self._episodes.batch.arena.seed
        self._begun = False

    def reset(self, *, seed: int | None = None, options: Infos | None = None) -> tuple[Numbers, Infos]:
        """Begin an episode; see the class."""
        super().reset(seed=seed)
        if seed is None and self._begun:
            observed = self._episodes.restart(np.arange(1))
        else:
            self._seed = self._seed if seed is None else seed
            observed = self._episodes.begin(self._seed)
        self._begun = True
        return observed[0].astype(np.float32), {"success": False}

    def step(self, action: Numbers) -> tuple[Numbers, float, bool, bool, Infos]:
        """Act, and let `Task.cycles` cycles pass."""
        step = self._episodes.step(np.asarray(action, float)[None])
        observed = step.observation[0].astype(np.float32)
        info = {"success": bool(step.success[0])}
        return observed, float(step.reward[0]), bool(step.terminated[0]), bool(step.truncated[0]), info

    def render(self) -> Any:
        """A picture (height, width, 3) if `render_mode` is `rgb_array`, else None."""
        return self._episodes.render() if self.render_mode == "rgb_array" else None

    def close(self) -> None:
        """Free the engine."""
        self._episodes.close()


class SimulatedVectorEnv(VectorEnv):
    """Many robots with a task, far apart in one world where the task allows it, moved by arrays.

    Robots whose episode is over begin the next one in the same step; `infos` has their last observations, `final_obs`.
    Equal seeds give equal bits of the whole.

    Args:
        task, observation, options: arguments of `SimulatedEnv`, with the same errors.
        num_envs: number of robots.
        processes: number of processes over which the worlds are spread; with one they are in this process.
    """

    metadata: ClassVar[Infos] = {"autoreset_mode": AutoresetMode.SAME_STEP}

    def __init__(
        self, task: str, num_envs: int, observation: Observation = "truth", processes: int = 1, **options: Any
    ) -> None:
        self._episodes = make_episodes(Wish(task, observation, options), num_envs, processes)
        self.num_envs = num_envs
        self.single_observation_space, self.single_action_space = _spaces(self._episodes)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._seed = 0

    def reset(self, *, seed: int | None = None, options: Infos | None = None) -> tuple[Numbers, Infos]:
        """Begin all episodes in a new world; without a seed with the next one."""
        super().reset(seed=seed)
        self._seed = self._seed + 1 if seed is None else seed
        return self._episodes.begin(self._seed).astype(np.float32), {}

    def step(self, actions: Numbers) -> tuple[Numbers, NDArray[Any], NDArray[Any], NDArray[Any], Infos]:
        """Act with all robots."""
        step, observed = self._episodes.step_on(np.asarray(actions, float))
        infos: Infos = {"success": step.success, "_success": np.ones(self.num_envs, np.bool_)}
        if step.over.any():
            last = np.empty(self.num_envs, object)
            for number in np.flatnonzero(step.over).tolist():
                last[number] = step.observation[number].astype(np.float32)
            infos |= {"final_obs": last, "_final_obs": step.over}
        return observed.astype(np.float32), step.reward, step.terminated, step.truncated, infos

    def close_extras(self, **options: Any) -> None:
        """Free the engine."""
        self._episodes.close()


def environment_id(task: str) -> str:
    """Name of a task's environment for `gymnasium.make`: for `get_up` it is `simspark_ros/GetUp-v0`."""
    return f"simspark_ros/{''.join(word.capitalize() for word in task.split('_'))}-v0"


def _spaces(made: RunningEpisodes) -> tuple[spaces.Box, spaces.Box]:
    return (
        spaces.Box(-np.inf, np.inf, (made.observation_size,), np.float32),
        spaces.Box(-1.0, 1.0, (made.action_size,), np.float32),
    )


for _task in TASKS:
    gymnasium.register(
        environment_id(_task),
        entry_point=f"{__name__}:SimulatedEnv",
        vector_entry_point=f"{__name__}:SimulatedVectorEnv",
        kwargs={"task": _task},
    )
