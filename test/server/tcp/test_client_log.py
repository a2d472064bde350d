from simspark_ros.server.tcp.client_log import RateLimitedLog


def test_a_flood_of_lines_is_cut_and_counted(lines, clock):
    log = RateLimitedLog(lines, burst=3, rate=1.0, clock=clock)
    for number in range(10):
        log.warning(f"line {number}")
    assert lines.lines == ["line 0", "line 1", "line 2"]
    clock.now += 2.0
    log.info("later")
    assert lines.lines[3:] == ["7 lines about clients were left out: too many at once", "later"]
    log.info("and")
    log.info("no more")
    assert lines.lines[5:] == ["and"]
