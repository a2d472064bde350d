"""An agent that walks to the ball, for a running server.

simspark serve          # in another terminal, or `make run` and --team Lions
python examples/agent.py
"""

import argparse

from simspark_ros.clients.agent import Command, Walk, WorldModel, play


def think(me: WorldModel) -> Command:
    """Turn until the ball is seen, then walk to it; called 50 times a second."""
    if me.ball.place is None:
        return Walk(turn=0.8)
    return Walk(0.4, 0.0, me.ball.place.bearing)


def main() -> None:
    """Play until the server goes away."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--team", default="Lions")
    parser.add_argument("--port", type=int, default=3100)
    options = parser.parse_args()
    print("I was", play(think, options.team, port=options.port))


if __name__ == "__main__":
    main()
