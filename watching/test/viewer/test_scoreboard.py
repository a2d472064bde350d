from dataclasses import replace

import pytest

from simspark_ros.protocol.monitor.encoder import PLAY_MODES
from simspark_ros.protocol.monitor.reader import MonitorReader
from simspark_ros.soccer.teams import Side
from simspark_watching.broadcast.board import board_of, clock, in_words
from simspark_watching.broadcast.goals import ShownGoal
from simspark_watching.viewer.scoreboard import MESSAGES, News, board_html

HEAD = f"(play_modes {' '.join(PLAY_MODES)})"


def shown(*environments: str) -> MonitorReader:
    reader = MonitorReader()
    for number, text in enumerate(environments):
        kind, scene = ("RDS", "((nd))") if number else ("RSG", "((nd TRF))")
        reader.show(f"({HEAD if not number else ''}{text})({kind} 0 1){scene}".encode())
    return reader


def test_it_tells_teams_score_mode_and_time_in_minutes_and_seconds():
    reader = shown("(time 83.2)(team_left Lions)(team_right Dragons)(half 2)(score_left 3)(score_right 1)(play_mode 4)")
    goals = [ShownGoal(Side.LEFT, 12.0, 9), ShownGoal(Side.RIGHT, 70.0, 4, own=True)]
    html = board_html(board_of(reader, goals), banner="REPLAY", pictures=7)
    for text in ("Lions", "Dragons", "01:23", "half 2", "kick-in left", "3&#8202;:&#8202;1", "REPLAY"):
        assert text in html
    assert "9 1&#x27;" in html and "4 2&#x27; (own goal)" in html and 'data-pictures="7"' in html
    assert 'data-title="Lions 3:1 Dragons · simspark"' in html
    assert [clock(value) for value in (-1, 59.99, 60, 3600)] == ["00:00", "00:59", "01:00", "60:00"]


def test_the_name_of_a_team_is_no_html():
    reader = shown("(time 0)(team_left <img/src=x>)(play_mode 3)", "(time 1)(foul 1 0 1 2)")
    news = News()
    news.follow(reader)
    board = board_of(reader)
    assert "<img" not in board_html(board) + news.html() + board_html(board, note="<script>", banner="<img>")
    assert "&lt;img" in board_html(board)


def test_fouls_goals_and_modes_become_messages_the_newest_first():
    news, reader = News(), shown("(time 5)(team_right Dragons)(play_mode 4)(score_left 0)")
    assert news.follow(reader) and not news.follow(reader)
    reader.show(b"((time 65)(foul 1 2 2 4)(score_left 1)(play_mode 13))(RDS 0 1)((nd))")
    assert news.follow(reader)
    text = news.html()
    assert "01:05  illegal defence: Dragons 4" in text and "01:05  goal: 1 : 0" in text
    assert text.index("01:05") < text.index("00:05  kick-in left")
    for index in range(2 * MESSAGES):
        reader.show(f"((time 70)(foul {index} 9 1 {index % 11 + 1}))(RDS 0 1)((nd))".encode())
    news.follow(reader)
    assert news.html().count("foul 9") == MESSAGES


def test_the_same_foul_of_the_same_player_is_one_message_and_what_follows_of_itself_none():
    news, reader = News(), shown("(time 5)(team_left Lions)(play_mode 3)")
    for index in range(2 * MESSAGES):
        reader.show(f"((time {60 + index})(foul {index} 9 1 4))(RDS 0 1)((nd))".encode())
        assert news.follow(reader)
    text = news.html()
    assert f"01:{2 * MESSAGES - 1:02d}  foul 9: Lions 4 ({2 * MESSAGES} times)" in text
    assert text.count("foul 9") == 1
    news, reader = News(), shown("(time 5)(play_mode 1)")
    news.follow(reader)
    reader.show(b"((time 6)(play_mode 3))(RDS 0 1)((nd))")
    assert not news.follow(reader) and "play on" not in news.html()


@pytest.mark.parametrize("mode", PLAY_MODES)
def test_every_mode_can_be_read(mode):
    words = in_words(mode)
    assert words == words.lower() and "_" not in words


def test_a_world_without_soccer_has_words_only_if_there_are_some():
    board = replace(board_of(shown("(time 5)(play_mode 1)")), mode="")
    assert "simspark-mode" not in board_html(board, plays=False)
    assert '<span class="simspark-mode">&lt;wait</span>' in board_html(board, note="<wait", plays=False)
