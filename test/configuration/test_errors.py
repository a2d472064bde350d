from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspark_ros.configuration.errors import UserError, in_a_line, named, shown
from simspark_ros.configuration.library import Library
from simspark_ros.configuration.names import as_word, is_name, is_unicode, is_word
from simspark_ros.configuration.schema import ConfigurationError, build, read_yaml
from simspark_ros.protocol.sexpr import scan
from simspark_ros.soccer.settings import SoccerWorldFile, load_soccer_settings

SECRET = "hunter2 " * 20
WORLDS = Library("worlds", "world")


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (SECRET, "must be a mapping, not text"),
        (f"- {SECRET}", "must be a mapping, not a list"),
        (f"{SECRET}: 1", "unknown key"),
        (f"field: {SECRET}", "field: must be a mapping"),
        (f"field: [{SECRET}]", "field: must be a mapping"),
        (f"max_robots: {SECRET}", "max_robots: must be a whole number"),
        (f"max_robots: [{SECRET}]", "max_robots: must be a whole number, not a list"),
        (f"teams: *{'hunter2' * 20}", "is not valid YAML: line 1, column 8"),
        (f"password: {SECRET}\n- broken", "is not valid YAML: line 2, column 1"),
        ("max_robots: " + "9" * 5000, "cannot be read"),
        ("[" * 2000, "line 1, column 1001: exceeded maximum nesting depth"),
        (f"based_on: {SECRET}", "unknown world 'hunter2 "),
        ('max_robots: "\\ud800"', "is not valid YAML: line 1, column"),
        ('{"\\ud83d\\ude00": 1}', "is not valid YAML: line 1, column"),
        (f"based_on: [{SECRET}]", "based_on: must name a world, not a list"),
    ],
)
def test_a_message_about_a_file_does_not_repeat_it(tmp_path: Path, content: str, place: str) -> None:
    path = tmp_path / "world.yaml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        build(SoccerWorldFile, WORLDS.document(path), str(path))
    message = str(caught.value)
    assert place in message and message.count("hunter2") <= 12


def test_aliases_are_not_written_out_and_whole_numbers_that_no_float_holds_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "world.yaml"
    levels = [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}' if n else 'lol'] * 9)}]" for n in range(9)]
    path.write_text("\n".join([*levels, "max_robots: *a8"]), encoding="utf-8")
    assert shown(read_yaml(path)["max_robots"]) == "a list"
    path = tmp_path / "world.yaml"
    path.write_text(f"based_on: soccer\nball: {{mass: 0x{'f' * 1000}}}", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="ball: mass: must be a finite number, not a whole number"):
        load_soccer_settings(path)


def test_messages_can_be_written_as_utf_8_have_an_end_and_are_one_line_in_logs() -> None:
    assert str(UserError("caf\udce9.yaml: é")) == r"caf\udce9.yaml: é"
    assert len(str(UserError("x" * 100_000))) < 2100
    assert in_a_line("a\nb\ud800 " + "c" * 300) == "a b\\ud800 " + "c" * 190 + "..."
    assert [shown(value) for value in ("x" * 50, 1 << 100_000, 7)] == [f"'{'x' * 40}...'", "a whole number", "7"]


def test_names_are_short_and_printable_and_any_text_becomes_a_word_that_is_read_back() -> None:
    assert all(is_name(text) and is_unicode(text) for text in ("left foot", "Fuß", "l-foot.1", "x" * 80))
    assert not [text for text in ("", "x" * 81, "a\nb", "a\x00", "\ud800", "\x1b[2J", "\u202e") if is_name(text)]
    word = as_word("Revolute 1 (ü)\n\ud800")
    assert word == "Revolute_1____" + "__" and scan(f"(HJ (n {word}))") == ([["HJ", ["n", word]]], "")


WORDS = ("head", "a;b", "a\\b", "\\d", "x" * 80, "!~[]{}", "7")
NO_WORDS = ("", "x" * 81, ")(", "a b", "a\tb", "a\n", "\x00", "ä", "\x7f", "\ud800", '"', "it's", ";a", "a\\", "\\\\a")


@pytest.mark.parametrize("text", WORDS + NO_WORDS)
def test_words_and_no_other_texts_stand_in_s_expressions(text: str) -> None:
    assert is_word(text) is (text in WORDS)


@given(st.text(st.sampled_from("a1;\\\"'() \n[]~\x00é")))
def test_a_word_is_read_back_as_one_atom_and_leaves_the_rest_as_it_is(text: str) -> None:
    assert not is_word(text) or scan(f"(hear {text})(syn)") == ([["hear", text], ["syn"]], "")
    assert not text or is_word(as_word(text))


def test_a_message_names_two_parts_and_counts_the_others() -> None:
    told = [named("link", names) for names in (["a"], ["a", "b"], ["a", "b", "c"], ["x" * 50, *"abcd"])]
    assert told[:3] == ["link 'a'", "links 'a' and 'b'", "links 'a', 'b' and 1 more"]
    assert told[3] == f"links '{'x' * 40}...', 'a' and 3 more"
