"""Options of commands declared by settings, and types of other options, whose errors name the fault in the text."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Callable, Collection
from importlib.util import find_spec
from typing import Any

from simspark_ros.configuration.errors import UserError
from simspark_ros.configuration.ports import VIEWER_PORT
from simspark_ros.configuration.schema import PORTS, Declaration, Setting, declarations


def add_options(
    parser: argparse._ActionsContainer, settings: type[Any], names: Collection[str] = (), without: Collection[str] = ()
) -> None:
    """Add an option for each setting of a class that declares one, or for the settings in `names`, without some.

    An option that is not given is None, see `chosen`.
    """
    for declaration in declarations(settings):
        if declaration.option and declaration.name not in without and (not names or declaration.name in names):
            _add_option(parser, declaration)


def chosen(options: argparse.Namespace, settings: type[Any], names: Collection[str] = ()) -> dict[str, Any]:
    """The settings that were given, to make or replace an object of the class; `names` as in `add_options`."""
    names = names or [declaration.name for declaration in declarations(settings)]
    given = {name: getattr(options, name, None) for name in names}
    values = {name: value for name, value in given.items() if value is not None}
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}


def require_rclpy(what: str) -> None:
    """Check that rclpy is installed, without loading it.

    Raises:
        UserError: it is not; the message says what needs it.
    """
    if find_spec("rclpy") is None:
        raise UserError(f"{what} needs rclpy: pip install 'simspark_ros[ros]', or a ROS 2 installation")


def add_viewer_option(parser: argparse._ActionsContainer) -> None:
    """Add the option to show a match in browsers; its port may be left out."""
    text = f"show the match in browsers, on this port or the next free one [{VIEWER_PORT}]"
    parser.add_argument("--viewer", type=port, nargs="?", const=VIEWER_PORT, metavar="PORT", help=text)


def add_ray_option(parser: argparse._ActionsContainer, purpose: str) -> None:
    """Add the option that names a cluster for `simspark_matches.cluster`; its address may be left out."""
    text = f"{purpose}: HOST:PORT; without an address the cluster at RAY_ADDRESS, else this machine's cores"
    parser.add_argument("--ray", nargs="?", const="", metavar="ADDRESS", help=text)


def _add_option(parser: argparse._ActionsContainer, declaration: Declaration) -> None:
    default, kind, setting = declaration.default, declaration.kind, declaration.setting
    unit = declaration.range.unit if declaration.range else ""
    shown = "" if default in (None, "", (), dataclasses.MISSING) else f" [{default}]"
    again = "; may be given several times" if kind is tuple else ""
    text = (setting.help + (f", {unit}" if unit else "") + again + shown).replace("%", "%%")
    common: dict[str, Any] = {"dest": declaration.name, "default": None}
    if kind is bool:
        action, text = ("store_false", f"do not {setting.help}") if default else ("store_true", setting.help)
        parser.add_argument(declaration.option, **common, action=action, help=text)
        return
    if setting.switch:
        text = f"{declaration.name} {setting.switch}; {text}"
        parser.add_argument(declaration.option, **common, action="store_const", const=setting.switch, help=text)
        return
    metavar = setting.metavar or {"s": "S"}.get(unit) or {int: "N", float: "X", str: "NAME"}.get(kind, "FILE")
    if declaration.choices:
        common |= {"choices": declaration.choices, "type": kind}
    else:
        common |= {"metavar": metavar, "type": reader(declaration)}
    if kind is tuple:
        common["action"] = "append"
    parser.add_argument(declaration.option, **common, help=text)


def picture_size(text: str) -> tuple[int, int]:
    """Read width and height, pixels."""
    width, cross, height = text.partition("x")
    if not cross or not width.isdigit() or not height.isdigit() or not 0 < int(width) * int(height) <= 4096 * 4096:
        raise argparse.ArgumentTypeError(f"'{text}' is not WxH, e.g. 1280x720")
    return int(width), int(height)


def reader(declaration: Declaration) -> Callable[[str], Any]:
    """A function that reads a setting from text, for argparse."""

    def read(text: str) -> Any:
        try:
            value = (str if declaration.kind is tuple else declaration.kind)(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"'{text}' is not a number") from None
        if declaration.refusal(value):
            raise argparse.ArgumentTypeError(f"must be {declaration.allowed}, not '{text}'")
        if declaration.setting.refuse and (refusal := declaration.setting.refuse(text)):
            raise argparse.ArgumentTypeError(refusal)
        return value

    return read


port = reader(Declaration("port", int, None, (), PORTS, Setting("")))
"""Read a TCP port, 0 = any free one."""


def address(text: str) -> tuple[str, int]:
    """Host and port, `HOST:PORT`."""
    host, colon, number = text.rpartition(":")
    if not colon or not host:
        raise argparse.ArgumentTypeError(f"'{text}' is not HOST:PORT, e.g. 127.0.0.1:3400")
    return host.strip("[]"), port(number)
