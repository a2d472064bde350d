"""What effector and perceptor plug-ins of other distributions add to the classic agent protocol.

An installed effector can be named by every classic agent, unless it is declared not to be; an installed perceptor with
`Perceptor.message` is written into the messages of robots that carry it. A bridge or proxy reads what is installed
where it runs; the same can be said in a profile (`commands: plug_ins` and `perceptors`), which goes before.
"""

from __future__ import annotations

from dataclasses import replace

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.effectors import EFFECTORS
from simspark_ros.protocol.agent.profile import CommandRules, PerceptorFormat, Profile
from simspark_ros.simulation.registry import PERCEPTORS, known_effectors, perceptor_types


def with_plug_ins(profile: Profile) -> Profile:
    """A profile extended by all installed plug-ins.

    Raises:
        ConfigurationError: a plug-in cannot be loaded, or what it declares cannot be used; the message names it.
    """
    commands, perceptors = profile.commands, dict(profile.perceptors)
    for word, effector in known_effectors().items():
        if word not in EFFECTORS and word not in commands.plug_ins and effector.for_agents:
            commands = _with_command(commands, word, effector.signature.classic)
    for kind, perceptor in perceptor_types().items():
        if kind not in PERCEPTORS and kind not in perceptors and perceptor.message:
            perceptors[kind] = _format(kind, perceptor.message, tuple(perceptor.message_values))
    return replace(profile, commands=commands, perceptors=perceptors)


def _with_command(commands: CommandRules, word: str, arguments: tuple[str, ...]) -> CommandRules:
    try:
        return replace(commands, plug_ins={**commands.plug_ins, word: arguments})
    except ValueError as error:
        raise ConfigurationError(f"effector {error}") from None


def _format(kind: str, message: str, values: tuple[str, ...]) -> PerceptorFormat:
    try:
        return PerceptorFormat(message, values)
    except ValueError as error:
        raise ConfigurationError(f"perceptor plug-in '{kind}': {error}") from None
