"""No process of a match is left behind, whatever it does and however its runner ends."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from simspark_ros.clients.guard import fulfil
from simspark_ros.clients.processes import Processes, StartError
from test.rigs.processes import gone
from test.rigs.waiting import DEADLINE, until

PATIENCE = 0.3
"""So long a stubborn process is waited for, s; those here need no time to end."""

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs Linux's /proc")

SAYS_ITS_ID = "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getpid()) + '\\n'); "
ENDLESS = SAYS_ITS_ID + "time.sleep(1000)"
STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); " + ENDLESS
RUNAWAY = f"import subprocess, sys; c = [sys.executable, '-c', {ENDLESS!r}, sys.argv[1]]; "
RUNAWAY += "subprocess.Popen(c, start_new_session=True)"
RUNNER = """
import sys, time
from pathlib import Path
from simspark_ros.clients.processes import Processes
processes = Processes(float(sys.argv[3]))
folder = Path(sys.argv[1])
for name, script in zip(("left/1/", "server"), sys.argv[2].split("AND"), strict=False):
    processes.start(name, [sys.executable, "-c", script, str(folder / "id")], folder / "log")
time.sleep(1000)
"""
PLAYER = SAYS_ITS_ID.replace("argv[1]", "argv[1] + '-player'") + "time.sleep(1000)"
# Its last cycle is slow; it notes the state of the player after that.
SLOW_SERVER = """
import os, signal, sys, time
def last_cycle(*_):
    time.sleep(0.5)
    player = int(open(sys.argv[1] + '-player').read())
    state = open(f'/proc/{player}/stat').read().rpartition(')')[2].split()[0]
    open(sys.argv[1] + '-state', 'w').write(state)
    sys.exit()
signal.signal(signal.SIGTERM, last_cycle)
open(sys.argv[1], 'w').write(str(os.getpid()) + '\\n')
time.sleep(1000)
"""


def written_id(folder: Path) -> int:
    file = folder / "id"
    until(lambda: file.exists() and file.read_text().endswith("\n"))
    return int(file.read_text())


def start(processes: Processes, script: str, folder: Path) -> int:
    processes.start("left/1/", [sys.executable, "-c", script, str(folder / "id")], folder / "log")
    return written_id(folder)


@pytest.mark.parametrize("script", [ENDLESS, STUBBORN, RUNAWAY], ids=["stopped", "deaf to SIGTERM", "runaway"])
def test_every_process_is_ended(script, tmp_path):
    with Processes(PATIENCE) as processes:
        process = start(processes, script, tmp_path)
        assert not gone(process)
        if script == ENDLESS:
            os.kill(process, signal.SIGSTOP)
    # Where the processor is busy, one that was killed takes longer than the patience.
    until(lambda: gone(process))


@pytest.mark.parametrize("script", [STUBBORN, RUNAWAY], ids=["deaf to SIGTERM", "runaway"])
def test_a_runner_that_is_killed_leaves_no_process(script, tmp_path):
    with subprocess.Popen([sys.executable, "-c", RUNNER, str(tmp_path), script, str(PATIENCE)]) as runner:
        process = written_id(tmp_path)
        runner.kill()
    until(lambda: gone(process))


def test_players_outlive_the_server_of_a_runner_that_is_killed(tmp_path):
    scripts = f"{PLAYER}AND{SLOW_SERVER}"
    with subprocess.Popen([sys.executable, "-c", RUNNER, str(tmp_path), scripts, str(DEADLINE)]) as runner:
        server = written_id(tmp_path)
        player = tmp_path / "id-player"
        until(lambda: player.exists() and player.read_text().endswith("\n"))
        runner.kill()
    until(lambda: gone(server) and gone(int(player.read_text())))
    assert (tmp_path / "id-state").read_text() == "S"


ENDS = """
while not (folder / "id").exists():
    time.sleep(0.01)
print("ends", flush=True)
processes.__exit__()
"""
WILL = '{"outcome": "aborted"}'


@pytest.mark.parametrize("ending", [False, True], ids=["while it plays", "while it ends"])
def test_the_will_of_a_runner_that_is_killed_becomes_its_result(tmp_path, ending):
    will, result = tmp_path / f"result.json.{os.getpid()}.part", tmp_path / "result.json"
    will.write_text(WILL.ljust(5000))
    script = RUNNER.replace("float(sys.argv[3])", "float(sys.argv[3]), files=sys.argv[4:]")
    if ending:
        script = script.replace("time.sleep(1000)", ENDS)
    words = [sys.executable, "-c", script, str(tmp_path), STUBBORN, "1.0", str(will), str(result)]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as runner:
        process = written_id(tmp_path)
        if ending:
            assert runner.stdout and runner.stdout.readline() == b"ends\n"
        assert not result.exists()
        runner.kill()
    until(lambda: gone(process))
    until(result.exists)
    until(lambda: result.read_text() == WILL + "\n")
    assert not will.exists()


@pytest.mark.parametrize("text", ["", "\0" * 100, '{"outcome": "abo'])
def test_a_will_that_is_not_whole_or_whose_runner_has_ended_is_no_result(tmp_path, text):
    will, result = tmp_path / "result.json.1.part", tmp_path / "result.json"
    will.write_text(WILL)
    with Processes(PATIENCE, files=(will, result)) as processes:
        start(processes, ENDLESS, tmp_path)
    assert will.exists() and not result.exists()
    will.write_text(text)
    fulfil(will, result)
    assert not will.exists() and not result.exists()


def test_a_will_is_none_where_another_runner_has_begun(tmp_path):
    will, other, dead = (tmp_path / f"result.json.{number}.part" for number in (1, os.getpid(), 2**30))
    for file in (will, other, dead):
        file.write_text(WILL)
    fulfil(will, tmp_path / "result.json")
    assert not will.exists() and not (tmp_path / "result.json").exists() and other.exists()
    other.unlink()
    will.write_text(WILL)
    fulfil(will, tmp_path / "result.json")
    assert (tmp_path / "result.json").exists()


def test_a_team_is_alive_while_one_of_its_processes_is_and_a_program_that_is_missing_is_named(tmp_path):
    with Processes(PATIENCE) as processes:
        process = start(processes, RUNAWAY, tmp_path)
        with pytest.raises(StartError, match="nothing-of-the-kind"):
            processes.start("right/1/", ["./nothing-of-the-kind"], tmp_path / "log")
        assert processes.alive("left/") and not processes.alive("right/")
        os.kill(process, signal.SIGKILL)
        until(lambda: not processes.alive("left/"))


@pytest.mark.parametrize(("memory", "status"), [(200, 1), (0, 0)])
def test_a_process_takes_no_more_memory_than_its_limit(tmp_path: Path, memory: int, status: int) -> None:
    script = "bytearray(300_000_000)"
    with Processes(PATIENCE) as processes:
        process = processes.start("left/1/", [sys.executable, "-c", script], tmp_path / "log", memory=memory)
        assert process.wait(DEADLINE) == status
    assert ("MemoryError" in (tmp_path / "log").read_text()) == bool(status)


PRINTS = "import sys; sys.stdout.write(sys.argv[1] * int(sys.argv[2]) + 'last'); sys.stderr.write(' words')"


@pytest.mark.parametrize(("count", "left_out"), [(10, 0), (99_800, 0), (3_000_000, 2_900_010)])
def test_of_what_a_process_prints_the_beginning_and_the_end_are_kept(tmp_path, count, left_out):
    with Processes(PATIENCE, output_limit=0.1) as processes:
        process = processes.start("left/1/", [sys.executable, "-c", PRINTS, "x", str(count)], tmp_path / "log")
        process.wait(DEADLINE)
    text = (tmp_path / "log").read_text()
    assert text.startswith("xxx") and text.endswith("xxxlast words")
    note = f"\n[{left_out} bytes are left out here: of an output 100000 are kept]\n" if left_out else ""
    assert len(text) == count + len("last words") - left_out + len(note)
    assert note in text


def test_a_process_whose_output_cannot_be_written_goes_on(tmp_path):
    warnings: list[str] = []
    with Processes(PATIENCE, warn=warnings.append) as processes:
        words = [sys.executable, "-c", PRINTS, "x", "3000000"]
        process = processes.start("left/1/", words, tmp_path / "none" / "log")
        assert process.wait(DEADLINE) == 0
    assert len(warnings) == 1 and "none/log: cannot be written" in warnings[0]
