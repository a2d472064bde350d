import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspark_ros.protocol.framing import FrameDecoder, FramingError, frame

LIMIT = 50
payloads = st.lists(st.binary(max_size=LIMIT), max_size=6)


def test_a_frame_is_a_big_endian_length_and_the_payload_of_up_to_the_longest_length():
    assert frame(b"(syn)") == b"\x00\x00\x00\x05(syn)"
    assert FrameDecoder(LIMIT).feed(frame(bytes(LIMIT))) == [bytes(LIMIT)]


@given(payloads, st.lists(st.integers(1, 20), max_size=30))
def test_every_split_and_coalescence_gives_the_same_messages(messages, sizes):
    stream = b"".join(map(frame, messages))
    decoder = FrameDecoder(LIMIT)
    received = []
    for size in sizes:
        received += decoder.feed(stream[:size])
        stream = stream[size:]
        assert len(decoder._pending) < LIMIT + 4
    assert received + decoder.feed(stream) == messages


@pytest.mark.parametrize("length", [LIMIT + 1, 0x80000000, 0xFFFFFFFC, 0xFFFFFFFF])
def test_a_length_over_the_limit_is_refused_at_once_by_name(length):
    decoder = FrameDecoder(LIMIT)
    with pytest.raises(FramingError, match=f"{length} bytes; at most {LIMIT}") as caught:
        decoder.feed(frame(b"(syn)") + length.to_bytes(4, "big"))
    assert caught.value.messages == [b"(syn)"] and len(decoder._pending) == 0


@given(st.lists(st.binary(max_size=40), max_size=20))
def test_garbage_is_either_messages_or_an_error_and_never_piles_up(chunks):
    decoder = FrameDecoder(LIMIT)
    for chunk in chunks:
        try:
            messages = decoder.feed(chunk)
        except FramingError as error:
            messages = error.messages
        assert all(len(message) <= LIMIT for message in messages) and len(decoder._pending) < LIMIT + 4
