"""Pause, steps and speed by the monitor port of a replay."""

import threading

from simspark_recording.logs.sources import log_source
from simspark_recording.playing.player import Replay
from simspark_recording.settings import ReplaySettings
from test.server.test_time_control import DEADLINE, Watcher


def test_a_replay_can_be_paused_stepped_and_slowed_down(tmp_path):
    head = "((time {:g})(play_modes PlayOn)(play_mode 0))"
    frames = [(head.format(0) + "(RSG 0 1)((nd TRF))")] + [f"((time {n / 5}))(RDS 0 1)((nd))" for n in range(1, 2000)]
    (tmp_path / "match.log").write_text("\n".join(frames) + "\n")
    options = ReplaySettings(tmp_path / "match.log", 0, speed=20.0, loop=True)
    replay = Replay(options, log_source(options))
    thread = threading.Thread(target=replay.run)
    thread.start()
    try:
        watcher = Watcher(replay.server.port)
        watcher.until(lambda: watcher.reader.time > 1.0)
        watcher.send("(pause)")
        watcher.until(lambda: replay.server.time.paused)
        late = Watcher(replay.server.port)
        late.until(lambda: late.reader.time > 0.0)
        before = late.reader.time
        late.send("(step 2)")
        # The newcomer was shown the next frame at once, so that the first step shows it again.
        late.until(lambda: late.reader.time >= before + 0.2 - 1e-9)
        late.send("(run)(speed 0)")
        late.until(lambda: late.reader.time > before + 5.0)
        late.send("(speed)")
        late.until(lambda: replay.server.time.speed == 20.0)
    finally:
        replay.stop()
        thread.join(DEADLINE)
        replay.close()
    assert not thread.is_alive()
