import time

import pytest

from simspark_ros.simulation.entities import name_pattern
from simspark_ros.simulation.entities.name_pattern import MAX_LENGTH, NamePattern, PatternError


@pytest.mark.parametrize(
    ("pattern", "matching", "others"),
    [
        ("nao", ["nao"], ["nao_2", "a", ""]),
        ("nao.*", ["nao", "nao_2"], ["left_1"]),
        ("(left|right)_[0-9]{1,2}", ["left_1", "right_11"], ["left_", "left_111", "middle_1"]),
        ("[[:alpha:]_]+[^0-5]?", ["a_9", "x"], ["a_5", "9"]),
        ("^a$|b{2,}", ["a", "bb", "bbbbb"], ["b", "ab"]),
        (r"a\.b", ["a.b"], ["axb"]),
        ("a[-.]b[]x]", ["a-b]", "a.bx"], ["aab]"]),
        ("(ab?)*", ["", "aba", "aa"], ["bb"]),
        ("a$b", [], ["ab", "a"]),
        ("a.b", ["a\nb", "a\u00e9b"], ["ab"]),
        ("a\ud800", ["a\ud800"], ["a"]),
    ],
)
def test_a_pattern_matches_whole_names(pattern: str, matching: list[str], others: list[str]) -> None:
    names = NamePattern(pattern)
    assert all(map(names.matches, matching)) and not any(map(names.matches, others))


@pytest.mark.parametrize("pattern", ["(a*)*(a|aa)*b", "(a?){80}a{80}", "((a{1,6}){1,6}){1,6}b"])
def test_no_pattern_takes_long(pattern: str) -> None:
    begun = time.process_time()
    names = NamePattern(pattern)
    for letter in "abcdefgh":
        assert not names.matches(letter + "a" * 63 + "x")
    assert time.process_time() - begun < 2.0


@pytest.mark.parametrize(
    ("pattern", "named"),
    [
        ("(", r"missing \)"),
        ("a)", r"unexpected \)"),
        ("*a", r"no argument for repetition operator: '\*'"),
        ("[a", r"missing \]"),
        ("[[:foo:]]", "invalid character class range: '.:foo:.'"),
        ("[b-a]", "invalid character class range: 'b-a'"),
        ("a{3,2}", r"invalid repetition size: '\{3,2\}'"),
        ("a{1001}", "invalid repetition size"),
        ("\\d", "invalid escape sequence"),
        ("(?i)a", "no argument"),
        ("(a{200}){200}", "invalid repetition size"),
        (".{999}" * 42, "pattern too large"),
        ("x" * (MAX_LENGTH + 1), "at most 256"),
        ("(" * 255, r"missing \)"),
    ],
)
def test_what_is_no_pattern_or_too_large_is_refused(pattern: str, named: str) -> None:
    with pytest.raises(PatternError, match=named) as caught:
        NamePattern(pattern)
    assert len(str(caught.value)) < 200


def test_without_re2_plain_names_match_themselves_and_expressions_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(name_pattern, "re2", None)
    names = NamePattern("left_1")
    assert names.matches("left_1") and not names.matches("left_11")
    with pytest.raises(PatternError, match="pip install google-re2"):
        NamePattern("left_.*")
