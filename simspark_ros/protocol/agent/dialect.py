"""A profile as this installation speaks it: its names have to exist, and the declarations of parts are added to it.

Commands have the arguments that their effectors declare. Agents of every profile can name an effector unless it
declares otherwise; then the profile has to list it. Robots that carry a perceptor with a message get that message. A
profile takes precedence over all declarations. Built-in parts and plug-ins are treated alike.
"""

from __future__ import annotations

from dataclasses import replace
from inspect import getattr_static
from pathlib import Path

from simspark_ros.configuration.errors import shown, suggestion
from simspark_ros.configuration.library import PROFILES
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.perceptors.base import Perceptor
from simspark_ros.protocol.agent.actions import READERS
from simspark_ros.protocol.agent.message_form import TEXT_KINDS
from simspark_ros.protocol.agent.profile import PerceptorFormat, Profile, ProfileError, SceneRule, load_profile
from simspark_ros.robots.catalogue import robot_names, variants
from simspark_ros.robots.files.robot_file import is_robot_file
from simspark_ros.simulation.registry import known_effectors, perceptor_types
from simspark_ros.soccer.game_state import PlayMode


def load_dialect(name: str | Path) -> Profile:
    """Load a profile for a port; a `ProfileError` names file, key and all known names."""
    profile = load_profile(name)
    try:
        check_names(profile)
    except ValueError as error:
        raise ProfileError(f"{PROFILES.path(name)}: {error}") from None
    return with_declared(profile)


def with_declared(profile: Profile) -> Profile:
    """A profile with all declared commands and messages; a `ConfigurationError` names an unusable declaration."""
    commands, perceptors = profile.commands, dict(profile.perceptors)
    for word, effector in known_effectors().items():
        is_listed = word in commands.actions and word not in READERS
        if (effector.for_agents or is_listed) and word not in commands.plug_ins:
            try:
                commands = replace(commands, plug_ins={**commands.plug_ins, word: effector.signature.classic})
            except ValueError as error:
                raise ConfigurationError(f"effector {error}") from None
    for kind, perceptor in perceptor_types().items():
        if kind not in perceptors and perceptor.message:
            try:
                perceptors[kind] = PerceptorFormat(perceptor.message, tuple(perceptor.message_values))
            except ValueError as error:
                raise ConfigurationError(f"perceptor '{kind}': {error}") from None
    return replace(profile, commands=commands, perceptors=perceptors)


def check_names(profile: Profile) -> None:
    """Refuse names that do not exist: a `ValueError` names the key and all known names."""
    types, words = perceptor_types(), {*READERS, *profile.commands.plug_ins, *known_effectors()}
    for word in profile.commands.actions:
        if word not in words:
            raise ValueError(f"commands: actions: there is no command {shown(word)}; {suggestion(word, sorted(words))}")
    for kind, form in profile.perceptors.items():
        if not form.plug_in:
            _check_perceptor(kind, form, types)
    known = {mode.value for mode in PlayMode}
    for mode in profile.game_state.play_modes:
        if mode not in known:
            raise ValueError(f"game_state: play_modes: unknown mode '{mode}'; use one of: {_list(known)}")
    for path, scene in profile.scenes.items():
        # The file of a user's robot need only be where the simulator runs.
        if not is_robot_file(scene.robot):
            _check_scene(f"scenes: {path}", scene)


def _check_perceptor(kind: str, form: PerceptorFormat, types: dict[str, type[Perceptor]]) -> None:
    where = f"perceptors: {kind}"
    if kind not in types:
        known = _list(types.keys() - TEXT_KINDS.keys())
        remedy = f"use one of: {known}; add `plug_in: true` for plug-ins that only the simulator's machine has"
        raise ValueError(f"{where}: there is no such kind of perceptor; {remedy}")
    if kind in TEXT_KINDS:
        raise ValueError(f"{where}: it has no format of its own; use the sections game_state, hear and vision")
    # Columns that depend on the mount are not known yet.
    optional = types[kind].optional_columns
    if not optional and getattr_static(types[kind], "columns_of") is not getattr_static(Perceptor, "columns_of"):
        return
    columns = (*types[kind].columns, *optional)
    for value in form.numbers:
        if value.column not in columns:
            raise ValueError(f"{where}: values: unknown '{value.column}'; use one of: {_list(columns)}")


def _check_scene(where: str, scene: SceneRule) -> None:
    if scene.robot not in robot_names():
        known = _list(robot_names())
        raise ValueError(
            f"{where}: there is no robot '{scene.robot}'; name one of {known}, or give the path of a robot's file"
        )
    types = len(variants(scene.robot))
    if scene.variants > types:
        raise ValueError(f"{where}: variants: robot '{scene.robot}' has {types} types, not {scene.variants}")


def _list(names: set[str] | tuple[str, ...]) -> str:
    return ", ".join(sorted(names))
