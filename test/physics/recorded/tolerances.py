"""How far each engine may be from the recordings of the classic server, and why. A new engine is one more row.

A row's key is the engine's name, or its name and that of a preset.
"""

import math
from dataclasses import dataclass, replace

# First row and column, their ends, and the largest difference, m.
Window = tuple[slice, slice, float]
_ALL, _GROUND, _X, _Z = slice(None), slice(2), slice(1), slice(2, 3)


@dataclass(frozen=True)
class Tolerances:
    """Largest differences from the reference; lengths in m, angles in degrees."""

    # Of the torso at rest, for type 4 on its toes; of its z axis; of a standing robot in a second.
    height: float
    height_on_toes: float
    upright: float
    creep: float
    # Of a standing robot's feet, m and N, and the share of the weight that toes and feet do not carry.
    foot_point: float
    foot_force: float
    weight: float
    # Of the accelerometer, m/s2.
    free_fall: float
    # Angle of a joint that follows a command, and share of it at the largest speed; share by which that speed is off.
    joint: float
    joint_share: float
    top_speed: float
    # Of the way of a rolling ball, and share of the whole way.
    roll: float
    roll_share: float
    # Top of the rebound of a ball that is let go, from 1 m and from other heights.
    drop: float
    rebound: float
    # Heights until 1.2 s, and until `lob_end`; tops; share of the distance.
    lob_heights: tuple[float, float]
    lob_tops: float
    lob_way: float
    # Windows in the path of a ball shot at each obstacle.
    obstacles: dict[str, tuple[Window, ...]]
    # Row of the recorded way to the wall at which the ball starts, and windows in it.
    wall_first: int
    wall: tuple[Window, ...]
    # x of a ball that rolls into the net, before it and deepest; share of the speed back.
    net: tuple[float, float]
    net_speed: float
    # Speeds with which a ball of 1.2 m/s leaves the net, m/s.
    slow_net: tuple[float, float]
    # Whether a body turns by 2 atan(w h / 2) a step instead of w h.
    turns_by_atan: bool = False
    # Whether a joint held into its stop chatters instead of resting before it.
    stops_bounce: bool = False
    lob_end: float = 1.9
    # Whether the ground holds a ball that leaves it with a spin, as on the reference.
    lob_holds: bool = False


# Rows are rounded to 1 mm, which makes 2.5 cm/s of the start's speed, 1 mm a row: 5 mm from the first row in flight
# over two bounces and off the wall, until the ball is on the ground again, which a step finds at another depth: 3 cm.
_OFF_THE_WALL = ((slice(21), _X, 0.008), (slice(16), _Z, 0.004))

TOLERANCES = {
    # The same solver with the same numbers: only rounding differs, and what the recordings leave unsaid.
    "ode": Tolerances(
        # Five printed digits. ODE puts a robot that hardly moves to sleep: toes still rocked, and 0.01 mm are left.
        height=0.6e-5,
        height_on_toes=1.2e-5,
        upright=1e-6,
        # Asleep it cannot creep, not by a bit.
        creep=0.0,
        # Two printed digits. (Type 3 was caught while it rocked: 22.60 instead of 22.59.)
        foot_point=0.0051,
        foot_force=0.011,
        # Toes rock longer: 0.03 % are left when the robot falls asleep.
        weight=4e-4,
        # Measured 0.0006 backward: drag pitches the robot, as light parts feel it most and motors hold them.
        free_fall=0.001,
        # Printed with two digits, some of them cut off.
        joint=0.011,
        joint_share=0.0,
        # What a loaded motor lags. Where both bodies of a joint turn, as at an ankle, less is taken off than by atan.
        top_speed=2e-5,
        turns_by_atan=True,
        stops_bounce=True,
        # Four printed digits, here and in the rebounds.
        roll=1e-4,
        roll_share=0.0,
        # The recording has every second cycle only: 2 mm.
        drop=0.003,
        rebound=1e-4,
        # Until the third contact, four printed digits.
        lob_heights=(2e-4, 2e-4),
        lob_tops=1e-4,
        lob_way=1e-4,
        lob_end=1.6,
        lob_holds=True,
        # 2 mm over the impact, 14 mm after two seconds; heights until the bar throws the ball up again.
        obstacles=dict.fromkeys(
            ("post", "bar", "net"), ((slice(9), _ALL, 0.004), (_ALL, _GROUND, 0.02), (slice(16), _Z, 0.004))
        ),
        wall_first=0,
        wall=_OFF_THE_WALL,
        # 14 mm: 5 mm before it rolls, 6 mm of rounding of the first rows (2.5 cm/s for 0.3 s). So a step finds it
        # deeper in the net than the recorded one, and by that it comes back 6 % faster.
        net=(0.018, 0.018),
        net_speed=0.08,
        # ERP pushes a ball out by up to half its depth a step: 0.35 here.
        slow_net=(-math.inf, 0.4 * 1.2),
    ),
    "bullet": Tolerances(
        # ODE's contacts let a foot sink in by 1 mm, Bullet's by less: 0.6 to 0.8 mm is the measured difference.
        height=0.001,
        height_on_toes=0.001,
        upright=1e-5,
        # 0.2 mm (0.8 mm on toes) is where it lands, and then it stays.
        creep=2e-5,
        # The point under the foot wanders with the softness of contacts (5 mm).
        foot_point=0.01,
        # Horizontal forces while the soft motors settle, 0.002 of the weight.
        foot_force=0.05,
        weight=1e-3,
        # Drag pitches the robot, as light parts feel it most and motors hold them: measured 0.0016 forward.
        free_fall=0.003,
        # Softness lags a loaded motor by 0.001 degrees; ODE turns a body by 0.13 % less at the largest speed.
        joint=0.01,
        joint_share=0.002,
        # Measured 0.008 %: what a loaded motor still lags.
        top_speed=5e-4,
        # 0.6 % short (0.673 v0 instead of 0.677 v0): friction has no slip, so the ball rolls at once at 5/7 v0.
        roll=1e-4,
        roll_share=0.01,
        # Bullet pushes a deep ball out, ODE throws it out: 10 mm.
        drop=0.012,
        # Measured 5 to 8 mm below: Bullet is given the speed of a rebound for each impact, whatever the depth, where
        # ODE's soft contact makes it. (Left alone, Bullet's rebounds are off by 120 mm.)
        rebound=0.010,
        # Measured 8 mm until the second rebound, then 27 mm, as the small rebounds fall into other steps (a few mm of
        # depth each). They were 120 mm off before rebounds were corrected for the phase of steps.
        lob_heights=(0.010, 0.030),
        lob_tops=0.008,
        # 4.9 % short. At an impact Bullet's friction leaves 0.69 of the forward speed (a ball that rolls at once),
        # ODE's slip leaves 0.75; both were measured at the first rebound.
        lob_way=0.055,
        # Until the impact rounding. After it 4 cm along the ground (one step at the old speed is 15 cm). Heights within
        # 7 cm: ODE's friction brakes the fall in two steps, Bullet's ball leaves the obstacle after one; later the
        # phases of rebounds differ. The net's friction turns the ball a little differently.
        obstacles={
            **dict.fromkeys(
                ("post", "bar"),
                (
                    (slice(3), _ALL, 0.003),
                    (slice(3, 16), _GROUND, 0.045),
                    (slice(3, 9), _Z, 0.07),
                    (slice(-1, None), _GROUND, 0.06),
                ),
            ),
            "net": ((slice(9), _X, 0.006), (slice(9), _Z, 0.02)),
        },
        # From the last rows before the wall: on the ground Bullet's ball falls 7 cm behind, as in the lob.
        wall_first=14,
        wall=((slice(5), _X, 0.03),),
        # Until the net the rounding of the first rows, 8 mm; in it as much deeper. Back 9 % slower, whatever the
        # rounding: what pushes a ball out of the net adds less speed to it than on ODE.
        net=(0.012, 0.015),
        net_speed=0.12,
        # Bullet stops it.
        slow_net=(-0.05, 0.05),
    ),
}

TOLERANCES["mujoco"] = replace(
    TOLERANCES["ode"],
    # 0.1 mm is what MuJoCo's place of contacts and soft motors make.
    height=2e-4,
    height_on_toes=2e-4,
    upright=1e-5,
    creep=1e-5,
    # The centre of pressure follows the soft motors by a few millimetres.
    foot_point=0.01,
    # 0.1 % of the weight.
    foot_force=0.025,
    # Drag is zero at rest, so the ground carries exactly the weight.
    weight=1e-4,
    # Printed with two decimals. Braking takes 0.02 degrees, as the motor aims ahead by its effort before.
    joint=0.01,
    joint_share=0.002,
    # Measured 0.003 %: what a loaded motor still lags.
    top_speed=2e-4,
    # 0.3 mm farther at any speed: ODE puts a ball that hardly moves to sleep.
    roll=5e-4,
    # Measured 0.15 mm: friction that needs no load lifts the ball by 1 / 5000 of itself.
    lob_tops=2e-4,
    lob_end=1.9,
)

TOLERANCES["bullet legacy"] = replace(
    TOLERANCES["bullet"],
    stops_bounce=True,
    turns_by_atan=True,
    joint_share=0.0,
    # The first rebound is nearer (0.387 m), but a step finds the second impact 5 cm deeper; J1's happens to fit.
    drop=0.018,
    # Softness adds speed to what is pushed out of the net. It is a twentieth of J1's, and 1 mm of the depth is left
    # alone: 6 mm less way in the net, 21 mm less back after three cycles, and 31 mm less fall, as the ball leaves the
    # net a part of a step later.
    obstacles={
        **TOLERANCES["bullet"].obstacles,
        "net": ((slice(6), _X, 0.0065), (slice(6, 9), _X, 0.022), (slice(7), _Z, 0.02), (slice(7, 9), _Z, 0.032)),
    },
)
