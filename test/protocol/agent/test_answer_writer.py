"""What a player answers, as the simulator's own reader understands it."""

import math

from simspark_ros.players.answer import Answer
from simspark_ros.players.geometry import Pose
from simspark_ros.protocol.agent.answer_writer import AnswerWriter, init_command, scene_command
from simspark_ros.protocol.sexpr import parse


def test_joints_are_commanded_by_the_names_of_their_effectors_when_their_speeds_change():
    writer = AnswerWriter()
    written = parse(writer.write(Answer({"hj1": 1.0, "laj4": -2.5, "rlj7": 0.12346})))
    assert written == [["he1", "1.0"], ["lae4", "-2.5"], ["rle7", "0.1235"]]
    assert writer.write(Answer({"hj1": 1.0, "laj4": 0.0})) == "(lae4 0.0)"
    assert writer.write(Answer({"hj1": 1.0, "laj4": 0.0})) == ""
    of_another_robot = AnswerWriter({"left_knee": "lle4"}).write(Answer({"left_knee": 1.0, "hj1": 0.5}))
    assert of_another_robot == "(lle4 1.0)(he1 0.5)"


def test_joining_beam_say_and_pass():
    text = AnswerWriter().write(Answer(beam=Pose(-1.5, 2.0, math.pi / 2), say="abc", request_pass=True))
    assert parse(text) == [["beam", "-1.500", "2.000", "90.00"], ["say", "abc"], ["pass"]]
    assert scene_command(4) == "(scene rsg/agent/nao/nao_hetero.rsg 4)"
    assert scene_command(0, "kidsize") == "(scene rsg/agent/kidsize.rsg)"
    assert init_command("Red", 3) == "(init (unum 3)(teamname Red))"
