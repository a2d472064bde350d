"""A sphere robot from the bytes of its client to the bytes it is sent."""

import re

from simspark_ros.protocol.agent.decoder import AgentDecoder
from simspark_ros.protocol.agent.dialect import load_dialect
from simspark_ros.protocol.agent.encoder import AgentEncoder
from simspark_ros.soccer.game_state import PlayMode

NUMBER = r"-?\d+\.\d\d"
POLAR = rf"\(pol {NUMBER} {NUMBER} {NUMBER}\)"


def send(played, decoder, client, payload):
    decoded = decoder.decode(client, payload)
    assert not decoded.rejected
    return played.act(*decoded.actions)


def test_two_spheres_play_with_the_words_of_their_year(play):
    profile = load_dialect("sphere2006")
    played, decoder, encoder = play(profile="sphere2006"), AgentDecoder(profile), AgentEncoder(profile)
    for client, team in (("a", b"Red"), ("b", b"Blue")):
        send(played, decoder, client, b"(scene rsg/agent/sphere.rsg)")
        send(played, decoder, client, b"(init (unum 3)(teamname " + team + b"))")
        send(played, decoder, client, b"(beam -5.0 0.0 0.0)")
    played.world.game.set_play_mode(PlayMode.PLAY_ON)
    percepts = send(
        played, decoder, "a", b"(drive 20.0 50.0 0.0)(kick 20.0 80.0)(catch)(pantilt 0 0)(say helloworld)(syn)"
    )
    assert [notice.text.partition(":")[0] for notice in percepts.notices] == ["kick", "catch"]
    message = encoder.encode(percepts)["b"][4:].decode()
    assert "(AgentState (temp 25) (battery 100))" in message
    assert re.search(r"\(GS \(t 0\.\d\d\) \(pm PlayOn\)\)", message)
    assert re.search(r"\(hear 0\.\d\d -?\d+ helloworld\)", message)
    while percepts.sight is None or 1 not in percepts.sight.observers:
        percepts = played.run(1)
    message = encoder.encode(percepts)["b"][4:].decode()
    see = message[message.index("(See") :]
    assert re.fullmatch(
        rf"\(See( \([GF][12][LR] {POLAR}\)){{8}} \(B {POLAR}\) \(P \(team Red\) \(id 3\) {POLAR}\)\)", see
    )
