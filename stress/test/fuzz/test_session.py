"""What the witnesses of a session read in the output of servers."""

from simspark_stress.fuzz.session import last_words, printed_errors


def test_tracebacks_and_exceptions_that_servers_survive_are_errors():
    survived = "driver 1: is disconnected, as its message was not understood: TypeError in read, line 7: x; please"
    printed = f"usual\nTraceback (most recent call last):\n  File x\nValueError: y\nKeyError: of nothing\n{survived}\n"
    assert printed_errors(printed) == {"ValueError": "ValueError: y", "TypeError": survived}


def test_a_client_that_is_lost_behind_a_bridge_is_told_with_what_was_said_of_the_bridge():
    printed = (
        "bridge 'x' joins\nproxy 1 leaves\nbridge 'x' has sent nothing for 3 s\nbridge 'x' joins\nbridge 'x' ends\n"
    )
    assert last_words("bridge", printed)[0] == "bridge 'x' has sent nothing for 3 s"
    assert last_words("server", printed) == []
    assert (
        last_words("proxy", f"proxy {'x' * 1000}")[0].startswith("proxy xxx") and len(last_words("proxy", printed)) == 1
    )
