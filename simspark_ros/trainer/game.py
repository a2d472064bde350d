"""The trainer's commands for the game: play mode, kick-off, drop ball, decisions, clock, score, end.

Protocol reference, section 6, "Trainer commands".
"""

from __future__ import annotations

from simspark_ros.configuration.errors import shown
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.trainer.base import Trainer, trainer_command
from simspark_ros.trainer.robots import side_of
from simspark_ros.worlds.errors import CommandRejectedError

MAX_TIME = 99_999.0
"""Greatest game time, s: a later one would be written with an exponent, which clients of monitors misread."""

MAX_SCORE = 9999
"""Most goals that monitors can show."""


@trainer_command
def play_mode(trainer: Trainer, mode: str) -> None:
    """Set the play mode of that classic name, without side effects."""
    try:
        play_mode = PlayMode(mode)
    except ValueError:
        names = ", ".join(known.value for known in PlayMode)
        raise CommandRejectedError(f"unknown play mode {shown(mode)}; use one of: {names}") from None
    trainer.world.game.set_play_mode(play_mode)


@trainer_command
def kick_off(trainer: Trainer, side: str) -> None:
    """Let a side kick off: `left`, `right`, or empty for the team whose turn it is (`GameState.next_kick_off`).

    Sets the mode and puts the ball on the centre spot; the rules decide about the positions of players.
    """
    trainer.require_referee("kick_off").kick_off(side_of("kick_off", side))


@trainer_command
def drop_ball(trainer: Trainer) -> None:
    """Put the ball at rest where it is, or where rules allow; move both teams away from it, and let play go on."""
    trainer.require_referee("drop_ball").drop_ball()


@trainer_command
def overrule(trainer: Trainer, decision: int) -> None:
    """Undo the referee's decision of that number."""
    trainer.require_referee("overrule").overrule(decision)


@trainer_command
def game_time(trainer: Trainer, time: float) -> None:
    """Set the game time, s; half and mode stay."""
    if not 0 <= time <= MAX_TIME:
        raise CommandRejectedError(f"game_time: must be 0 to {MAX_TIME:g} s, not {time:g}")
    trainer.world.game.time = time


@trainer_command
def score(trainer: Trainer, left: int, right: int) -> None:
    """Set the goals."""
    if not (0 <= left <= MAX_SCORE and 0 <= right <= MAX_SCORE):
        raise CommandRejectedError(f"score: goals must be 0 to {MAX_SCORE}, not {left:g} and {right:g}")
    trainer.world.game.score_left, trainer.world.game.score_right = left, right


@trainer_command
def kill_simulation(trainer: Trainer) -> None:
    """End the simulation with this cycle. Permission is checked where commands are received."""
    trainer.end()


@trainer_command
def reset(trainer: Trainer) -> None:
    """Begin again: robots and ball go home, what clients have added goes, game and time start from zero."""
    trainer.begin_again()


@trainer_command
def start_player(trainer: Trainer, text: str) -> None:
    """Start a player by `[name=]kind[?option=value&...]`."""
    before = set(trainer.world.robots)
    robot = trainer.require_players().start(text)
    robot.is_guest = robot.is_guest or robot.handle not in before


@trainer_command
def stop_player(trainer: Trainer, name: str = "") -> None:
    """Stop the player of that name, or all."""
    trainer.require_players().stop(name)


@trainer_command
def ball_position(trainer: Trainer, x: float, y: float, z: float) -> None:
    """Place the ball; it keeps its velocity."""
    trainer.world.require_ball("ball_position")
    vx, vy, vz = trainer.world.engine.state.ball_velocity.tolist()
    _place(trainer, x, y, z, (vx, vy, vz))


@trainer_command
def ball_velocity(trainer: Trainer, x: float, y: float, z: float) -> None:
    """Give the ball a velocity where it is."""
    trainer.world.require_ball("ball_velocity")
    px, py, pz = trainer.world.engine.state.ball_position.tolist()
    trainer.world.engine.place_ball((px, py, pz), (x, y, z))


@trainer_command
def ball(trainer: Trainer, x: float, y: float, z: float, vx: float, vy: float, vz: float) -> None:
    """Place the ball and give it a velocity."""
    trainer.world.require_ball("ball")
    _place(trainer, x, y, z, (vx, vy, vz))


def _place(trainer: Trainer, x: float, y: float, z: float, velocity: tuple[float, float, float]) -> None:
    world = trainer.world
    world.engine.place_ball((x, y, max(z, world.settings.ball_rest_height)), velocity)
    if trainer.referee is not None:
        trainer.referee.note_ball()
