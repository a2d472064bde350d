import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from simspark_ros.configuration.resources import resource
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.effectors import EFFECTORS, Degrees, Effector, effector
from simspark_ros.exchange import Action
from simspark_ros.perceptors.base import Perceptor
from simspark_ros.protocol.agent import dialect
from simspark_ros.protocol.agent.decoder import AgentDecoder
from simspark_ros.protocol.agent.dialect import load_dialect, with_declared
from simspark_ros.protocol.agent.profile import (
    SPECIAL_WORDS,
    CommandRules,
    PerceptorFormat,
    Profile,
    ProfileError,
    load_profile,
)
from simspark_ros.simulation.registry import PERCEPTORS
from simspark_ros.worlds.robot import Robot
from simspark_ros.worlds.world import World


def test_every_shipped_profile_names_what_there_is() -> None:
    for path in resource("config", "profiles").glob("*.yaml"):
        profile, dialect = load_profile(path.stem), load_dialect(path.stem)
        assert profile.name == path.stem and profile == load_profile(str(path))
        assert {*dialect.commands.plug_ins} == {*profile.commands.actions} - {*SPECIAL_WORDS}
        assert replace(dialect, commands=profile.commands) == profile


@pytest.mark.parametrize(
    ("text", "fragments"),
    [
        ("perceptors: {hinge_joit: {format: '(HJ {})', values: [angle deg]}}", ["'hinge_joint'", "plug_in: true"]),
        ("perceptors: {hinge_joint: {format: '(HJ {})', values: [angel deg]}}", ["hinge_joint", "'angel'", "angle"]),
        ("perceptors: {hear: {format: '(hear)'}}", ["perceptors: hear", "sections"]),
        ("commands: {actions: [say, beem]}", ["commands: actions", "'beem'", "did you mean 'beam'"]),
        ("game_state: {play_modes: {PlayOnn: Playing}}", ["play_modes", "'PlayOnn'", "PlayOn,"]),
        ("scenes: {a.rsg: {robot: noa}}", ["a.rsg", "'noa'", "kidsize, msl, nao, nao_lola, nao_"]),
        ("scenes: {a.rsg: {robot: nao, variants: 6}}", ["a.rsg", "variants", "has 5 types, not 6"]),
    ],
)
def test_names_that_do_not_exist_are_refused(tmp_path: Path, text: str, fragments: list[str]) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(ProfileError) as caught:
        load_dialect(path)
    for fragment in [str(path), *fragments]:
        assert fragment.strip("'") in str(caught.value)


def test_what_is_installed_only_where_the_simulator_runs_may_be_named(tmp_path: Path) -> None:
    path, radar = tmp_path / "mine.yaml", "{format: '(R {})', values: [range], plug_in: true}"
    path.write_text(f"perceptors: {{radar: {radar}}}\nscenes: {{a.rsg: {{robot: own.yaml}}}}")
    profile = load_dialect(str(path))
    assert profile.perceptors["radar"].numbers[0].column == "range"
    assert profile.scenes["a.rsg"].robot == "own.yaml"


@effector("hop")
def hop(world: World, robot: Robot, height: float, how: str, lean: Degrees, times: int, high: bool) -> None: ...


@effector("mute", for_agents=False)
def mute(world: World, robot: Robot) -> None: ...


class Altitude(Perceptor):
    columns = ("z",)
    message, message_values = "(ALT (n {name}) (z {}))", ("z",)


Install = Callable[..., None]


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Install:
    def have(effectors: dict[str, Effector[Any]], **perceptors: type[Perceptor]) -> None:
        monkeypatch.setattr(dialect, "known_effectors", lambda: {**EFFECTORS, **effectors})
        monkeypatch.setattr(dialect, "perceptor_types", lambda: {**PERCEPTORS, **perceptors})

    return have


def test_agents_name_an_installed_effector_and_one_that_the_profile_tells_of(install: Install) -> None:
    install({"hop": hop, "mute": mute})
    decoder = AgentDecoder(with_declared(load_profile("measured")))
    decoder.bind("me", 7, ("he1",))
    decoded = decoder.decode("me", b"(hop 0.2 high 90 2 true)(he1 1)(mute)(syn)")
    assert decoded.actions == (Action("me", "hop", (0.2, "high", math.pi / 2.0, 2, True)),)
    assert (decoded.joints, decoded.syn) == ([0], True) and decoded.rejected == ["unknown effector 'mute'"]
    install({"hop": hop})
    profile = replace(Profile(), commands=CommandRules(plug_ins={"wink": ("eye word",), "hop": ()}))
    decoder = AgentDecoder(with_declared(profile))
    assert decoder.decode("me", b"(wink left)(hop)").actions == (Action("me", "wink", ("left",)), Action("me", "hop"))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"(hop 0.2 high)", "hop: 2 arguments; the command needs height, how, lean, times and high"),
        (b"(hop low high 90 2 true)", "hop: 'low' is not a number"),
        (b"(hop 0.2 high inf 2 true)", "hop: lean must be finite"),
        (b"(hop 0.2 (a b) 90 2 true)", "hop: how a list is not 1 to 64 printable characters"),
        (b"(hop 0.2 " + 65 * b"x" + b" 90 2 true)", "is not 1 to 64 printable characters"),
        (b"(hop 0.2 high 90 1.5 true)", "hop: times '1.5' is not a whole number"),
        (b"(hop 0.2 high 90 2 1)", "hop: high '1' is not true or false"),
    ],
)
def test_a_wrong_command_of_a_plug_in_is_refused_with_a_reason(install: Install, text: bytes, reason: str) -> None:
    install({"hop": hop})
    decoded = AgentDecoder(with_declared(load_profile("measured"))).decode("me", text)
    assert decoded.actions == () and len(decoded.rejected) == 1 and reason in decoded.rejected[0]


def test_a_perceptor_is_written_as_it_declares_unless_the_profile_says_otherwise(install: Install) -> None:
    install({}, altitude=Altitude)
    assert with_declared(Profile()).perceptors == {"altitude": PerceptorFormat("(ALT (n {name}) (z {}))", ("z",))}
    own = PerceptorFormat("(H {})", ("z",))
    assert with_declared(Profile(perceptors={"altitude": own})).perceptors["altitude"] is own


@pytest.mark.parametrize(
    ("word", "arguments"), [("kick off", ""), ("syn", ""), ("hop", "height metres"), ("hop", "Height")]
)
def test_a_plug_in_that_cannot_be_read_is_named(word: str, arguments: str) -> None:
    with pytest.raises(ValueError, match=f"'{arguments or word}'"):
        CommandRules(plug_ins={word: (arguments,) if arguments else ()})


def test_effectors_that_agents_cannot_name_and_messages_that_do_not_fit_their_values_are_refused(install) -> None:
    install({"kick off": mute, "syn": hop})
    with pytest.raises(ConfigurationError, match="effector plug-in 'syn'"):
        with_declared(Profile())
    install({}, altitude=type("Bad", (Altitude,), {"message_values": ()}))
    with pytest.raises(ConfigurationError, match=r"perceptor 'altitude': .* 1 places for 0 values"):
        with_declared(Profile())


@pytest.mark.parametrize(
    ("text", "fragments"),
    [
        ("decimal: 2", ["'decimal'", "decimals"]),
        ("decimals: 9", ["9", "at least 0 and at most 3"]),
        ("commands: {hinge_unit: rpm}", ["hinge_unit", "'rpm'", "deg_cycle"]),
        ("commands: {cycle_time: 0}", ["cycle_time", "above 0"]),
        ("scenes: {a.rsg: {variants: 2}}", ["a.rsg", "'robot'", "missing"]),
        ("scenes: {a.rsg: {robot: nao, variants: 0}}", ["a.rsg", "variants"]),
        ("perceptors: {x: {format: '(X {})'}}", ["x", "1 places for 0 values"]),
        ("perceptors: {x: {format: '(X {nme})'}}", ["x", "{name}"]),
        ("perceptors: {x: {format: '(X {})', values: [a rad]}}", ["x", "'a rad'", "deg"]),
        ("perceptors: {x: {format: '(X {})', values: ['+a']}}", ["x", "'+a'"]),
        ("perceptors: {x: {format: '(X {})', values: [a], decimals: -1}}", ["x", "decimals"]),
        ("commands: {plug_ins: {scene: [x]}}", ["commands: plug-in 'scene'"]),
    ],
)
def test_mistakes_are_named_with_file_key_and_remedy(tmp_path, text, fragments):
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(ProfileError) as caught:
        load_profile(path)
    assert not [fragment for fragment in [str(path), *fragments] if fragment not in str(caught.value)]


def test_an_unknown_name_and_a_missing_file_are_named(tmp_path):
    with pytest.raises(ProfileError, match=r"'nonsense'.*measured.*\.yaml"):
        load_profile("nonsense")
    with pytest.raises(ProfileError, match=r"absent\.yaml"):
        load_profile(str(tmp_path / "absent.yaml"))
