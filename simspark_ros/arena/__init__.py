"""Worlds and robots from Python, without ROS and without sockets; see docs/tutorials/arena.md.

from simspark_ros.arena import Arena

with Arena("nao", engine="mujoco", seed=1) as arena:
    nao = arena["nao"]
    nao.set_velocities({"hj1": 0.5})
    arena.step(50)
    print(nao.joint_positions, nao.read("gyroscope"), arena.ball.position)
"""

from simspark_ros.arena.arena import Arena as Arena
from simspark_ros.arena.host import ArenaError as ArenaError
from simspark_ros.arena.match import MatchScore as MatchScore
from simspark_ros.arena.match import play_match as play_match
from simspark_ros.arena.robot import ArenaRobot as ArenaRobot
from simspark_ros.arena.robot import Vision as Vision
from simspark_ros.players.answer import Agent as Agent
from simspark_ros.simulation.assembly import PlugIns as PlugIns
