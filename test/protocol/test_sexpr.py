import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspark_ros.protocol.sexpr import MAX_DEPTH, Quoted, parse, scan


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"(he1 1.5)(syn)", [["he1", "1.5"], ["syn"]]),
        ("(init (unum 1)(teamname T))", [["init", ["unum", "1"], ["teamname", "T"]]]),
        (b" ( he1\t1 )\r\n(syn)\n", [["he1", "1"], ["syn"]]),
        (b"()(syn)", [[], ["syn"]]),
        (b"((he1) 1)", [[["he1"], "1"]]),
        (b"atom (syn)", ["atom", ["syn"]]),
        (b"", []),
        (b"  \n", []),
        (b"(scene rsg/agent/nao/nao.rsg)\x00\x00", [["scene", "rsg/agent/nao/nao.rsg"]]),
        (b"(say \xff)", [["say", "\xff"]]),
        ("(say a'b)", [["say", "a", "b"]]),
        ("(say a;b) ; a comment (he1 1)\n(syn)", [["say", "a;b"], ["syn"]]),
        (r"(say a\)b\(c\\d\e)", [["say", r"a)b(c\d\e"]]),
    ],
)
def test_well_formed_messages_become_lists_and_atoms(text, expected):
    assert scan(text) == (expected, "") and parse(text) == expected


@pytest.mark.parametrize(
    ("text", "kept", "fault"),
    [
        (b")(syn)", [], "')' without '('"),
        (b"(syn))(he1 1)", [["syn"]], "')' without '('"),
        (b"(syn)(he1 1", [["syn"]], "'(' without ')'"),
        (b"((((", [], "'(' without ')'"),
        (b"(syn)\x00(he1 1)", [["syn"]], "control byte 0x00"),
        (b"(syn)(he1 \x7f1)", [["syn"]], "control byte 0x7f"),
        (b'(syn)(say "open)', [["syn"]], "a quoted string has no end"),
    ],
)
def test_what_precedes_a_fault_is_kept_and_the_rest_is_lost(text, kept, fault):
    assert scan(text) == (kept, fault)


def test_quoted_strings_are_atoms_of_their_own_type_and_nesting_is_bounded():
    [expression] = parse(r'(say "two \"words\")" plain)')
    _, quoted, plain = list(expression)
    assert quoted == 'two "words")' and isinstance(quoted, Quoted)
    assert not isinstance(plain, Quoted)
    deepest = "(" * MAX_DEPTH + ")" * MAX_DEPTH
    assert scan(deepest)[1] == ""
    assert scan(f"(syn)({deepest})") == ([["syn"]], f"more than {MAX_DEPTH} brackets open at once")


@pytest.mark.parametrize(
    "part", [b"(", b")", b"()", b'"', b'\\"', b'"\\', b'" \\" ', b";", b"'", b" ", b"\\", b"a(", b"\x00"]
)
def test_hostile_input_takes_linear_time(part):
    begin = time.process_time()
    scan(part * 200_000)
    assert time.process_time() - begin < 5.0


@given(st.binary(max_size=200) | st.text(alphabet="()\"'\\; \n\x00ab1.", max_size=200))
def test_garbage_never_raises(text):
    expressions, fault = scan(text)
    assert isinstance(expressions, list) and isinstance(fault, str)


@given(st.lists(st.sampled_from(["(", ")", "he1", "1", " ", '"', "'", ";", "\n", "\x01"]), max_size=40).map("".join))
def test_a_longer_message_never_changes_the_complete_expressions_before(text):
    expressions, fault = scan(text)
    if not fault:
        assert parse(f"{text}\n(syn)") == [*expressions, ["syn"]]
