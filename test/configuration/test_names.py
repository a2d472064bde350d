"""Names of files and clients, as they may stand in messages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspark_ros.configuration.names import as_word, is_name, is_unicode, is_word
from simspark_ros.protocol.sexpr import scan


@pytest.mark.parametrize("text", ["left foot", "Fuß", "l-foot.1", "x" * 80])
def test_names_are_short_and_printable(text: str) -> None:
    assert is_name(text) and is_unicode(text)


@pytest.mark.parametrize("text", ["", "x" * 81, "a\nb", "a\x00", "\ud800", "\x1b[2J", "\u202e"])
def test_other_texts_are_no_names(text: str) -> None:
    assert not is_name(text)


@pytest.mark.parametrize("text", ["head", "a;b", "a\\b", "\\d", "x" * 80, "!~[]{}", "7"])
def test_words_stand_in_s_expressions(text: str) -> None:
    assert is_word(text)


@pytest.mark.parametrize(
    "text", ["", "x" * 81, ")(", "a b", "a\tb", "a\n", "\x00", "ä", "\x7f", "\ud800", '"', "it's", ";a", "a\\", "\\\\a"]
)
def test_other_texts_stand_in_none(text: str) -> None:
    assert not is_word(text)


@given(st.text(st.sampled_from("a1;\\\"'() \n[]~\x00é")))
def test_a_word_is_read_back_as_one_atom_and_leaves_the_rest_as_it_is(text: str) -> None:
    assert not is_word(text) or scan(f"(hear {text})(syn)") == ([["hear", text], ["syn"]], "")
    assert not text or is_word(as_word(text))


def test_any_text_becomes_a_word_that_is_read_back() -> None:
    word = as_word("Revolute 1 (ü)\n\ud800")
    assert word == "Revolute_1____" + "__"
    assert scan(f"(HJ (n {word}))") == ([["HJ", ["n", word]]], "")
