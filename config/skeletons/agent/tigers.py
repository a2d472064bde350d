"""A player of the team tigers: walks to the ball. The guide is docs/tutorials/write_an_agent.md of simspark_ros."""

from __future__ import annotations

import argparse

from simspark_ros.clients.agent import Command, Walk, WorldModel, play


def think(me: WorldModel) -> Command:
    """What the legs are to do; called 50 times a second."""
    if me.ball.place is None:
        return Walk(turn=0.8)
    return Walk(0.4, 0.0, me.ball.place.bearing)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int, nargs="?", default=3100, help="of the server")
    parser.add_argument("unum", type=int, nargs="?", default=0, help="uniform number, 0 = any free one")
    parser.add_argument("--team", default="tigers", help="name of the team")
    options = parser.parse_args()
    play(think, options.team, options.unum, port=options.port)
