"""Names of files and clients, as they may stand in messages."""

from __future__ import annotations

import pytest

from simspark_ros.configuration.names import as_word, is_name, is_unicode, is_word
from simspark_ros.protocol.sexpr import scan


@pytest.mark.parametrize("text", ["left foot", "Fuß", "l-foot.1", "x" * 80])
def test_names_are_short_and_printable(text: str) -> None:
    assert is_name(text) and is_unicode(text)


@pytest.mark.parametrize("text", ["", "x" * 81, "a\nb", "a\x00", "\ud800", "\x1b[2J", "\u202e"])
def test_other_texts_are_no_names(text: str) -> None:
    assert not is_name(text)


@pytest.mark.parametrize("text", ["head", "it's", "a;b", "\\", "x" * 80, "!~[]{}"])
def test_words_stand_in_s_expressions(text: str) -> None:
    assert is_word(text)


@pytest.mark.parametrize("text", ["", "x" * 81, ")(", "a b", "a\tb", "a\n", "\x00", "ä", "\x7f", "\ud800"])
def test_other_texts_stand_in_none(text: str) -> None:
    assert not is_word(text)


def test_any_text_becomes_a_word_that_is_read_back() -> None:
    word = as_word("Revolute 1 (ü)\n\ud800")
    assert word == "Revolute_1____" + "__"
    assert scan(f"(HJ (n {word}))") == ([["HJ", ["n", word]]], "")
