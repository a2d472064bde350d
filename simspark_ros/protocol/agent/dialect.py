"""A profile as this installation can speak it: extended by plug-ins, its names held against what there is.

`load_profile` sees to the form of a profile; here every name in it has to exist, so that a misspelt one is refused at
the start instead of being left out of every message.
"""

from __future__ import annotations

from inspect import getattr_static
from pathlib import Path

from simspark_ros.configuration.library import PROFILES
from simspark_ros.perceptors.base import Perceptor
from simspark_ros.protocol.agent.message_form import TEXT_KINDS
from simspark_ros.protocol.agent.plug_ins import with_plug_ins
from simspark_ros.protocol.agent.profile import PerceptorFormat, Profile, ProfileError, SceneRule, load_profile
from simspark_ros.robots.catalogue import robot_names, variants
from simspark_ros.simulation.registry import perceptor_types
from simspark_ros.soccer.game_state import PlayMode


def load_dialect(name: str | Path) -> Profile:
    """Load a profile that a port is about to speak; see `load_profile`.

    Raises:
        ProfileError: there is no such profile, or it names a perceptor, value, play mode or robot that does not exist;
            the message names file, key and what there is.
        ConfigurationError: an installed plug-in cannot be used.
    """
    profile = load_profile(name)
    try:
        check_names(profile)
    except ValueError as error:
        raise ProfileError(f"{PROFILES.path(name)}: {error}") from None
    return with_plug_ins(profile)


def check_names(profile: Profile) -> None:
    """Refuse names that do not exist.

    Raises:
        ValueError: names the key and what there is.
    """
    types = perceptor_types()
    for kind, form in profile.perceptors.items():
        if not form.plug_in:
            _check_perceptor(kind, form, types)
    known = {mode.value for mode in PlayMode}
    for mode in profile.game_state.play_modes:
        if mode not in known:
            raise ValueError(f"game_state: play_modes: unknown mode '{mode}'; known are: {_list(known)}")
    for path, scene in profile.scenes.items():
        # The file of a robot of one's own need only be where the simulator runs.
        if not scene.robot.endswith(".yaml"):
            _check_scene(f"scenes: {path}", scene)


def _check_perceptor(kind: str, form: PerceptorFormat, types: dict[str, type[Perceptor]]) -> None:
    where = f"perceptors: {kind}"
    if kind not in types:
        known = _list(types.keys() - TEXT_KINDS.keys())
        remedy = f"known are: {known}; `plug_in: true` for a plug-in that is installed only where the simulator runs"
        raise ValueError(f"{where}: there is no such kind of perceptor; {remedy}")
    if kind in TEXT_KINDS:
        raise ValueError(f"{where}: has no format of its own; see the sections game_state, hear and vision")
    # Values that depend on how it is mounted are known only then.
    if getattr_static(types[kind], "columns_of") is not getattr_static(Perceptor, "columns_of"):
        return
    for value in form.numbers:
        if value.column not in types[kind].columns:
            raise ValueError(f"{where}: values: unknown '{value.column}'; known are: {_list(types[kind].columns)}")


def _check_scene(where: str, scene: SceneRule) -> None:
    if scene.robot not in robot_names():
        known = _list(robot_names())
        raise ValueError(f"{where}: there is no robot '{scene.robot}'; there are: {known}; or the path of a .yaml file")
    types = len(variants(scene.robot))
    if scene.variants > types:
        raise ValueError(f"{where}: variants: robot '{scene.robot}' has {types}, not {scene.variants}")


def _list(names: set[str] | tuple[str, ...]) -> str:
    return ", ".join(sorted(names))
