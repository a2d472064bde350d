"""The arguments of a command are checked once, against the types of its function."""

import math
from contextlib import nullcontext
from typing import Any

import pytest

from simspark_ros.effectors import CommandRejectedError, Degrees, Effector, effector
from simspark_ros.effectors.signature import Signature
from simspark_ros.exchange import Argument
from simspark_ros.worlds.robot import Robot
from simspark_ros.worlds.world import World


def grip(
    finger: int, width: float, lean: Degrees, how: str, closed: bool = False, times: int | None = None
) -> None: ...


SIGNATURE = Signature("grip", grip, 0)
GIVEN: tuple[Argument, ...] = (1, 0.5, 0.1, "gently")


def test_arguments_arrive_in_the_types_of_the_parameters_which_messages_must_carry() -> None:
    values = SIGNATURE.check((2.0, 3, 0.1, "gently", True, 4))
    assert values == (2, 3.0, 0.1, "gently", True, 4)
    assert [type(value) for value in values] == [int, float, float, str, bool, int]
    assert SIGNATURE.check(GIVEN) == GIVEN
    assert SIGNATURE.classic == ("finger int", "width", "lean deg", "how word", "closed flag", "times int")
    with pytest.raises(TypeError, match="grip: argument places must be a float, Degrees, Percent, int, str or bool"):

        @effector("grip")
        def grip(world: World, robot: Robot, places: list[float]) -> None: ...


@pytest.mark.parametrize(
    ("index", "value", "text"),
    [
        (0, 1.5, "grip: finger must be a whole number, not 1.5"),
        (0, True, "grip: finger must be a whole number, not True"),
        (1, math.nan, "grip: width must be a finite number, not nan"),
        (1, 10**400, "grip: width must be a finite number, not 1000"),
        (1, "wide", "grip: width must be a finite number, not 'wide'"),
        (3, 1.0, "grip: how must be text, not 1.0"),
    ],
)
def test_an_argument_of_another_type_is_named(index: int, value: Any, text: str) -> None:
    with pytest.raises(CommandRejectedError) as error:
        SIGNATURE.check((*GIVEN[:index], value, *GIVEN[index + 1 :]))
    assert str(error.value).startswith(text) and len(str(error.value)) < 100


@pytest.mark.parametrize("given", [GIVEN[:3], (*GIVEN, True, 1, 1)])
def test_too_few_and_too_many_arguments_are_refused_with_their_names(given: tuple[Argument, ...]) -> None:
    text = rf"grip needs 6 arguments \(finger width lean how closed times\), not {len(given)}"
    with pytest.raises(CommandRejectedError, match=text):
        SIGNATURE.check(given)


@pytest.mark.parametrize("mounted", [False, True])
def test_only_an_effector_that_need_not_be_mounted_works_on_every_robot(played: Any, mounted: bool) -> None:
    called: list[float] = []

    def wave(world: World, robot: Robot, speed: float) -> None:
        called.append(speed)

    waving: Effector[Any] = effector("wave", mounted=mounted)(wave)
    played.join("a")
    refused = pytest.raises(CommandRejectedError, match="robot 'nao' has no effector 'wave'")
    with refused if mounted else nullcontext():
        waving.command(played.world, "a", (1,))
    assert called == ([] if mounted else [1.0])
