"""Omnidirectional walk: wanted places of both feet, cycle by cycle.

The scheme is the classic one of alternating steps with a sinusoidal sway (S. Behnke, "Online Trajectory Generation for
Omnidirectional Biped Walking", ICRA 2006; P. MacAlpine, S. Barrett, D. Urieli, V. Vu, P. Stone, "Design and
Optimization of an Omnidirectional Humanoid Walk: A Winning Approach at the RoboCup 2011 3D Simulation Competition",
AAAI 2012). The foot on the ground moves against the walk; the other one swings to the place from which it will pass
below the hip in the middle of its own stance, shifted in proportion to the tilt and its rate (M. Raibert, "Legged
Robots That Balance", MIT Press, 1986, chapter 2).
"""

from __future__ import annotations

import math

from simspark_ros.motion.footing import Footing, Posture, TiltError
from simspark_ros.motion.interface import Travel, Walk
from simspark_ros.motion.settings import GaitSettings
from simspark_ros.physics.geometry.scalars import limited

MARCH = Walk()
"""Walking on the spot."""

CONTACT = 3.0
"""Least force on a foot that stands on the ground, N."""


class Gait:
    """State of the walk; `hip_y` is the distance of the hips from the middle, m.

    Attributes:
        posture: posture of the torso.
        speed: speed of the torso in this step if no foot slipped.
        walking: whether the feet move.
    """

    def __init__(self, settings: GaitSettings, hip_y: float) -> None:
        self._settings = settings
        self._half = hip_y + settings.spread
        self.reset()

    def reset(self) -> None:
        """Stand with both feet beside each other."""
        self.left, self.right = Footing(0.0, self._half, 0.0), Footing(0.0, -self._half, 0.0)
        self.posture = Posture(lean=self._settings.lean)
        self.speed = MARCH
        self.walking = False
        self._phase = 0.0
        self._left_swings = True
        self._start = Footing(0.0, self._half, 0.0)
        self._steps_to_stop = 0

    def update(
        self, command: Walk | None, tilt: TiltError, seconds: float, forces: tuple[float, float] = (0.0, 0.0)
    ) -> Travel:
        """Advance by a cycle of that length (s); without a command the walk ends.

        `forces` of the ground act on the left and the right foot, N. Returns the torso's movement in this cycle, with
        slipping feet considered.
        """
        if not self.walking:
            if command is None:
                return Travel()
            self.walking = True
            self._begin_step(MARCH)
        else:
            self._phase += seconds / self._settings.step_time
            touched = forces[0 if self._left_swings else 1] > CONTACT
            if self._phase >= 1.0 or (touched and self._phase >= self._settings.early):
                self._phase = max(0.0, self._phase - 1.0)
                self._left_swings = not self._left_swings
                if not self._next_step(command):
                    return Travel()
        self._move_feet(tilt, seconds)
        self.posture = self._posture()
        forward, left, turn = (speed * seconds for speed in (self.speed.forward, self.speed.left, self.speed.turn))
        grip = self._settings
        return Travel(forward * grip.forward_grip, left * grip.side_grip, turn * grip.turn_grip)

    def _posture(self) -> Posture:
        settings, forward = self._settings, self.speed.forward
        # Sway to the left is positive: the torso goes over the foot that stands.
        direction = -1.0 if self._left_swings else 1.0
        return Posture(
            sway=direction * settings.sway * math.sin(math.pi * (self._phase + settings.sway_lead)),
            rise=settings.rise * (1.0 - math.cos(2.0 * math.pi * self._phase)) / 2.0,
            lean=settings.lean + settings.lean_forward * forward,
            ahead=settings.foot_back * forward,
            arm_swing=settings.arm_swing * (self.left.x - self.right.x) / 2.0,
        )

    def _next_step(self, command: Walk | None) -> bool:
        """Choose the speed of the step that begins; return False if the walk has ended."""
        still = self.speed == MARCH
        if command is None and still:
            self._steps_to_stop -= 1
            if self._steps_to_stop <= 0:
                self.reset()
                return False
        else:
            # Two steps on the spot bring both feet beside each other.
            self._steps_to_stop = 2
        self._begin_step(command or MARCH)
        return True

    def _begin_step(self, wish: Walk) -> None:
        limits = self._settings
        left = limited(wish.left, limits.side_speed)
        turn = limited(wish.turn, limits.turn_speed)
        # Going sideways or turning leaves less room for long steps.
        room = max(0.0, 1.0 - abs(left) / limits.side_speed - limits.turn_cost * abs(turn) / limits.turn_speed)
        forward = min(max(wish.forward, -room * limits.backward_speed), room * limits.forward_speed)
        slower = abs(forward / limits.forward_grip) < abs(self.speed.forward)
        change = limits.forward_brake if slower else limits.forward_change
        self.speed = Walk(
            _toward(self.speed.forward, forward / limits.forward_grip, change),
            _toward(self.speed.left, left / limits.side_grip, limits.side_change),
            _toward(self.speed.turn, turn / limits.turn_grip, limits.turn_change),
        )
        foot = self.left if self._left_swings else self.right
        self._start = Footing(foot.x, foot.y, foot.yaw)

    def _move_feet(self, tilt: TiltError, seconds: float) -> None:
        swing, stance = (self.left, self.right) if self._left_swings else (self.right, self.left)
        move = (self.speed.forward * seconds, self.speed.left * seconds, self.speed.turn * seconds)
        stance.slide(*move)
        stance.lift = stance.toes_up = 0.0
        settings = self._settings
        # Both feet are on the ground in the first and the last part of a step.
        ground = settings.double_support / 2.0
        share = (self._phase - ground) / (1.0 - 2.0 * ground)
        if not 0.0 < share < 1.0:
            swing.slide(*move)
            swing.lift = swing.toes_up = 0.0
            if share <= 0.0:
                self._start = Footing(swing.x, swing.y, swing.yaw)
            return
        target = self._landing(tilt)
        smooth = (1.0 - math.cos(math.pi * share)) / 2.0
        # At both ends the foot moves back with the ground, so as not to slip there: the cubic is 0 with slope 1,
        # and times the number of cycles in a swing that is the way of one cycle.
        back = share * (1.0 - share) * (1.0 - 2.0 * share) * settings.follow
        back *= (1.0 - 2.0 * ground) * settings.step_time / seconds
        swing.x = self._start.x + smooth * (target.x - self._start.x) - back * move[0]
        swing.y = self._start.y + smooth * (target.y - self._start.y) - back * move[1]
        swing.yaw = self._start.yaw + smooth * (target.yaw - self._start.yaw) - back * move[2]
        up = (1.0 - math.cos(2.0 * math.pi * share)) / 2.0
        swing.lift, swing.toes_up = settings.lift * up, settings.toes_up * up

    def _landing(self, tilt: TiltError) -> Footing:
        """Place where the swinging foot comes down."""
        settings, speed = self._settings, self.speed
        side = 1.0 if self._left_swings else -1.0
        half = settings.step_time / 2.0
        x = speed.forward * half + settings.place_pitch * tilt.pitch + settings.place_pitch_rate * tilt.pitch_rate
        # A step to the side, or a turn, opens the legs in one step and closes them in the next: feet do not cross, and
        # hips can turn outward only.
        y = side * self._half + half * (speed.left + side * abs(speed.left))
        y -= settings.place_roll * tilt.roll + settings.place_roll_rate * tilt.roll_rate
        yaw = half * (speed.turn + side * abs(speed.turn))
        return Footing(x, side * max(side * y, self._half - settings.inward), yaw)


def _toward(value: float, target: float, change: float) -> float:
    return value + limited(target - value, change)
