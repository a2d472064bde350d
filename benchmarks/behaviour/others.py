"""Situations with more than a server and its agents: proxies, players of the checkout, replays, ROS, pauses."""

import gzip
import time

from behaviour.checkout import running
from behaviour.situation import Situation
from behaviour.stage import Player, Stage
from behaviour.wire import DEADLINE, Link, StalledError

_STILL = 0.25
"""Longer than a server takes to show monitors that time stands still, s."""


def _stagger(player: Player, cycle: int) -> None:
    if cycle == 0:
        player.join()
    elif cycle == 3:
        player.do(f"(beam {-1.0 - 0.6 * (player.number // 2)} 0.5 {30 * player.number})")
    elif cycle > 5:
        player.flail(3.0, 3)
        if cycle % 6 == player.number:
            player.do(f"(say c{cycle})")


def proxy(stage: Stage) -> None:
    """Three agents behind a proxy and one beside it; its time never runs out, so that answers decide."""
    with stage.serve("--proxy-port", "0", "--proxy-limit", "600", robots=4) as port:
        assert port, "the server does not say where proxies connect"
        options = ["proxy", "--server", f"127.0.0.1:{port}", "--agent-port", "0", "--name", "near", "--early"]
        options += ["--cycle", "3"]
        process = stage.companions.enter_context(running(stage.checkout, options, stage.folder, "proxy"))
        agents = int(process.told(r"agents +127\.0\.0\.1:(\d+)")[1])
        players = [stage.connect(number, port=agents) for number in range(3)] + [stage.connect(3)]
        for cycle in stage.cycles(240):
            for player in players:
                _stagger(player, cycle)
            if cycle == 30:
                stage.order("(playMode PlayOn)")


def ros_topics(stage: Stage) -> None:
    """The same game with the simulator's topics beside it."""
    with stage.serve(robots=4, ros=True, ros_domain=hash(stage.folder) % 60 + 40):
        players = stage.team(4)
        for cycle in stage.cycles(200):
            for player in players:
                _stagger(player, cycle)


def pause_and_step(stage: Stage) -> None:
    """Time is stopped, stepped and let go; a monitor is shown what stands still."""
    with stage.serve(robots=2):
        players = stage.team(2)
        for cycle in stage.cycles(60):
            for player in players:
                _stagger(player, cycle)
            if cycle == 20:
                stage.order("(pause)")
                time.sleep(_STILL)
                stage.order("(ball (pos 1 1 1))(playMode PlayOn)")
            if 20 <= cycle < 30:
                time.sleep(_STILL)
                stage.order("(step 1)")
            if cycle == 30:
                time.sleep(_STILL)
                stage.watch()
                time.sleep(_STILL)
                stage.order("(run)(speed 0)(speed 500)(step x)(speed -1)")
                stage.order("(speed)(run)")


def replay(stage: Stage) -> None:
    """A match is logged, and the log is shown to a monitor, frame by frame."""
    with stage.serve("--log-interval", "0.1", robots=2):
        players = stage.team(2)
        for cycle in stage.cycles(150):
            for player in players:
                _stagger(player, cycle)
            if cycle == 20:
                stage.order("(playMode PlayOn)(ball (pos 1 0 1)(vel 3 1 0))(select)")
    options = ["replay", "log", "--monitor-port", "0", "--speed", "20"]
    with running(stage.checkout, options, stage.folder, "replay") as process:
        link = Link(int(process.told(r"(?:port|=|:) ?(\d+)\D*$")[1]))
        end = time.monotonic() + DEADLINE
        while link.open:
            link.pull()
            time.sleep(0.001)
            if time.monotonic() > end:
                raise StalledError("the replay does not end")
    (stage.folder / "replay.stream").write_bytes(bytes(link.received))


def match(stage: Stage) -> None:
    """Demonstration teams of the checkout play two short halves against each other."""
    options = ["match", "--left", "demo", "--right", "demo", "--players", "2", "--half-time", "6"]
    options += ["--kick-off-wait", "2", "--engine", stage.engine, "--seed", "3", "--hash-log", "--log", "match"]
    with running(stage.checkout, options, stage.folder, "match") as process:
        status = process.wait(4 * DEADLINE)
    written = stage.folder / "match"
    (stage.folder / "match.err").unlink()
    (stage.folder / "status").write_text(f"{status}\n")
    for name, stream in (("hashes.txt", "hashes"), ("events.jsonl", "events")):
        (stage.folder / stream).write_bytes((written / name).read_bytes() if (written / name).exists() else b"")
    log = written / "match.log.gz"
    (stage.folder / "log").write_bytes(gzip.decompress(log.read_bytes()) if log.exists() else b"")


def referee_cases(stage: Stage) -> None:
    """What `simspark referee-check` prints."""
    with running(stage.checkout, ["referee-check", "--engine", stage.engine], stage.folder, "cases") as process:
        status = process.wait(10 * DEADLINE)
    (stage.folder / "cases.stream").write_bytes(process.output.read_bytes())
    (stage.folder / "status").write_text(f"{status}\n")


OTHERS = [
    Situation("proxy", proxy),
    Situation("ros_topics", ros_topics),
    Situation("pause_and_step", pause_and_step),
    Situation("replay", replay),
    Situation("match", match),
    Situation("referee_cases", referee_cases),
]
