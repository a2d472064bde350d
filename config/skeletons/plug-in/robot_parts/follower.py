"""A player in the simulation: drives to the ball, whatever sensor tells where that is."""

from simspark_ros.plugins import PlayerPlugin


class Follower(PlayerPlugin):
    """Turns to the ball, drives, and tells other players how far it is."""

    def sense_and_act(self) -> None:
        """Once a cycle."""
        angle, distance = (self.body.sensors.get(feature=name) for name in ("ball_angle", "ball_distance"))
        self.body.sensors.update(angle, distance)
        if angle.stamp is not None:
            self.body.move(0.3, 0.0, 2.0 * angle.values[0])
            self.body.broadcast(f"{distance.values[0]:.2f} m")
