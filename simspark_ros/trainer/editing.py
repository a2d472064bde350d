"""Changes of the scene by people: robots are added, placed, removed, and all of that is undone."""

from __future__ import annotations

from simspark_ros.trainer.base import Trainer, trainer_command


@trainer_command
def add_robot(trainer: Trainer, word: str) -> None:
    """Add a robot of the package by `[name=]robot[/type][@x,y[,heading]]`, m and rad."""
    trainer.require_scene().add(word)


@trainer_command
def add_object(trainer: Trainer, word: str) -> None:
    """Add a solid that moves by `[name=]shape/size,...[/mass[/r,g,b]][@x,y[,heading]]`, m, kg and rad."""
    trainer.require_scene().add_object(word)


@trainer_command
def change_object(trainer: Trainer, handle: int, word: str) -> None:
    """Give an object another shape, size, mass and colour by `shape/size,...[/mass[/r,g,b]]`, where it is."""
    trainer.require_scene().change_object(handle, word)


@trainer_command
def place_robot(trainer: Trainer, handle: int, x: float, y: float, goes_on: bool = False) -> None:
    """Put a robot or an object at a place, m, at rest and turned as it is; `goes_on`: see `SceneEditor`."""
    trainer.require_scene().place(handle, (x, y), goes_on=goes_on)


@trainer_command
def lift_robot(trainer: Trainer, handle: int, height: float, goes_on: bool = False) -> None:
    """Put the point between a robot's feet, or an object's middle, at a height, m, at rest."""
    trainer.require_scene().place(handle, height=height, goes_on=goes_on)


@trainer_command
def turn_robot(trainer: Trainer, handle: int, heading: float, goes_on: bool = False) -> None:
    """Turn a robot or an object to a heading, rad, at rest and upright."""
    trainer.require_scene().place(handle, heading=heading, goes_on=goes_on)


@trainer_command
def remove_robot(trainer: Trainer, handle: int) -> None:
    """Take a robot or an object out."""
    trainer.require_scene().remove(handle)


@trainer_command
def undo(trainer: Trainer) -> None:
    """Undo the last of these."""
    trainer.require_scene().undo()
