"""What `simspark match` refuses before anything starts."""

import pytest


def test_a_match_that_cannot_be_continued_is_named(tmp_path, refused):
    words = ["match", "--continue", tmp_path]
    told = f"{tmp_path}: there is no match here that was played with --record: settings.json: No such file or directory"
    assert f"{told}\n" in refused(*words, "--log", "log")
    assert "the value of 'seed' comes from" in refused(*words, "--seed", "3")
    (tmp_path / "settings.json").write_text('{"left": {"command": "wave"}, "right": {"command": "wave"}}')
    (tmp_path / "result.json").write_text('{"format": 1, "outcome": "played"}')
    assert "the match is over; result.json has its result" in refused(*words)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--left", "nothing-of-the-kind"], "nothing-of-the-kind"),
        (["--left-name", "Same", "--right-name", "Same"], "Same"),
        (["--left-name", "two words"], "two words"),
        (["--half-time", "-1"], "--half-time"),
        (["--half-time", "60", "--set", "rules.game.half_time=30"], "half_time and the change of rules.game.half_time"),
        (["--kick-off-wait", "3", "--set", "rules.game.wait_before_kick_off=1"], "give one of them"),
        (["--players", "12"], "players"),
        (
            ["--world", "msl", "--players", "7"],
            "7 players are more than a team has in the world 'msl': give 6 or fewer",
        ),
        (["--engine", "unreal"], "unreal"),
        (["--set", "rules.game.haste=1"], "haste"),
    ],
)
def test_a_wrong_argument_is_named(arguments, named, tmp_path, refused):
    assert named in refused("match", "--left", "wave", "--right", "wave", "--log", tmp_path / "log", *arguments)
    assert not list(tmp_path.glob("log/result.json*"))


@pytest.mark.parametrize(
    ("missing", "remedy"), [("viser", "pip install viser"), ("simspark_watching", "pip install ./recording ./watching")]
)
def test_a_page_that_cannot_be_is_refused_before_anything_starts(missing, remedy, tmp_path, refused, monkeypatch):
    monkeypatch.setattr("simspark_ros.server.viewer_settings.find_spec", lambda name: None if name == missing else name)
    log = tmp_path / "log"
    match = f"match --left wave --right wave --viewer --log {log}"
    for words in (match, "serve --viewer --agent-port 0 --monitor-port 0 --no-ros", "view"):
        assert remedy in refused(*words.split())
    assert not log.exists()


def test_an_earlier_result_is_not_overwritten(tmp_path, refused):
    (tmp_path / "result.json").write_text("precious")
    assert "choose another directory" in refused("match", "--left", "wave", "--right", "wave", "--log", tmp_path)
    assert (tmp_path / "result.json").read_text() == "precious"
