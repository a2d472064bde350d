"""Logs of the frames of monitors of the league since 2026."""

import time
from dataclasses import replace

from benchmarks.newer_league.rsmp import Screen
from simspark_ros.protocol.monitor.rsmp import RsmpEncoder
from simspark_ros.server.monitor_log import MonitorLog
from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.settings import load_simulation_settings


def test_every_line_of_a_log_is_a_frame_that_follows_the_one_before(tmp_path):
    settings = replace(load_simulation_settings(), pacing="fast", world="fifa7vs7")
    simulation, _ = build_simulation(settings, [], time.monotonic, time.sleep)
    path = tmp_path / "match.log"
    simulation.add_node(MonitorLog(path, 0.1, print, encoder=RsmpEncoder))
    simulation.run(20)
    simulation.world.engine.close()
    screen, times = Screen(), []
    for line in path.read_bytes().splitlines():
        screen.show(line)
        times.append(screen.time)
    assert len(times) == 4
    assert times == sorted(set(times))
    assert screen.play_mode == "BeforeKickOff"
