# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Joint speeds in the messages of agents: the scanner of `protocol.agent.decoder`, which says what is plain."""

import cython

_NAN = cython.declare(cython.double, float("nan"))
_MOST_DIGITS = cython.declare(cython.Py_ssize_t, 15)
"""Digits of which a double holds every number exactly: one division by a power of ten then rounds as `float` does."""

# Characters.
_BLANK = cython.declare(cython.uchar, 32)
_OPENING = cython.declare(cython.uchar, 40)
_CLOSING = cython.declare(cython.uchar, 41)
_MINUS = cython.declare(cython.uchar, 45)
_POINT = cython.declare(cython.uchar, 46)
_ZERO = cython.declare(cython.uchar, 48)
_NINE = cython.declare(cython.uchar, 57)


@cython.cfunc
@cython.inline
def _is_plain(character: cython.uchar) -> cython.bint:
    """Whether a plain word or number may have a character: no bracket, quote, escape, comment, blank, underscore."""
    return character > _BLANK and character != 127 and character not in b"()\"'\\;_"


def join_speeds(parts: list, speeds: cython.double[::1]) -> None:
    """Write lists of numbers behind each other into an array of as many places."""
    at: cython.Py_ssize_t = 0
    part: list
    number: cython.double
    for part in parts:
        for number in part:
            if at == speeds.shape[0]:
                raise IndexError("more speeds than places for them")
            speeds[at] = number
            at += 1


@cython.dataclasses.dataclass(eq=False, repr=False)
@cython.cclass
class JointCommandKernel:
    """Reads plain messages of one client: `(WORD NUMBER...)` any number of times, with at most a `(syn)` after them.

    Most agents command the same joints in the same order in every message, so the last message's joints are kept.

    Attributes:
        known: index of each joint, by the word that commands it.
        factor: factor from the numbers to rad/s.
        words: words of the last plain message that had joint speeds.
        joints: joints of these words; the list is replaced, never changed.
        width: count of numbers behind each word.
        syn: whether the last plain message ended with `(syn)`.
        at: place in the message that is read.
    """

    known: dict
    factor: cython.double
    words: list
    joints: list
    width: cython.Py_ssize_t = 1
    syn: cython.bint = False
    at: cython.Py_ssize_t = 0

    def read(self, message: bytes, begin: cython.Py_ssize_t) -> list | None:
        """Read a message from a place on: `width` numbers of each of `joints`; None if it is not plain, or for NaN."""
        count: cython.Py_ssize_t = 0
        n: cython.Py_ssize_t
        words: list = self.words
        joints: list = self.joints
        speeds: list = []
        self.at = begin
        self.syn = False
        while self.at < len(message):
            if not self._passes(message, _OPENING):
                return None
            if count == len(words) or not self._passes_word(message, words[count]):
                word: bytes = self._atom(message)
                if word == b"syn" and self.at + 1 == len(message) and message[self.at] == _CLOSING:
                    self.syn = True
                    break
                joint = self.known.get(word)
                if joint is None or not self._passes(message, _BLANK):
                    return None
                if words is self.words:
                    words = words[:count]
                    joints = joints[:count]
                words.append(word)
                joints.append(joint)
            for n in range(self.width):
                number: cython.double = self._number(message)
                # Speeds may be infinite, several numbers may not.
                if (
                    number != number
                    or (self.width > 1 and number - number != 0.0)
                    or not self._passes(message, _CLOSING if n + 1 == self.width else _BLANK)
                ):
                    return None
                speeds.append(number * self.factor)
            count += 1
        if count:
            # A message may command fewer joints than the last one.
            self.words = words if count == len(words) else words[:count]
            self.joints = joints if count == len(joints) else joints[:count]
        return speeds

    @cython.cfunc
    @cython.inline
    def _passes(self, message: bytes, character: cython.uchar) -> cython.bint:
        """Go on behind a character, if it is the next one; returns whether it is."""
        if self.at >= len(message) or message[self.at] != character:
            return False
        self.at += 1
        return True

    @cython.cfunc
    def _passes_word(self, message: bytes, word: bytes) -> cython.bint:
        """Go on behind a word and a blank, if they come next; returns whether they do."""
        n: cython.Py_ssize_t
        end: cython.Py_ssize_t = self.at + len(word)
        if end >= len(message) or message[end] != _BLANK:
            return False
        for n in range(len(word)):
            if message[self.at + n] != word[n]:
                return False
        self.at = end + 1
        return True

    @cython.cfunc
    def _atom(self, message: bytes) -> bytes:
        """Go on behind the plain characters that come next, and return them."""
        begin: cython.Py_ssize_t = self.at
        while self.at < len(message) and _is_plain(message[self.at]):
            self.at += 1
        return message[begin : self.at]

    @cython.cfunc
    def _number(self, message: bytes) -> cython.double:
        """Go on behind the number that comes next, and return what `float` makes of it; NaN if it is none."""
        at: cython.Py_ssize_t = self.at
        negative: cython.bint = at < len(message) and message[at] == _MINUS
        at += negative
        digits: cython.Py_ssize_t = 0
        whole: cython.double = 0.0
        # The power of ten to divide by; 0 before the point.
        scale: cython.double = 0.0
        while at < len(message) and digits <= _MOST_DIGITS:
            character: cython.uchar = message[at]
            if _ZERO <= character <= _NINE:
                whole = whole * 10.0 + (character - _ZERO)
                scale *= 10.0
                digits += 1
            elif character == _POINT and scale == 0.0:
                scale = 1.0
            else:
                break
            at += 1
        if 0 < digits <= _MOST_DIGITS and at < len(message) and (message[at] == _CLOSING or message[at] == _BLANK):
            self.at = at
            value: cython.double = whole / scale if scale else whole
            return -value if negative else value
        # Exponents, infinity, many digits, and what is no number.
        try:
            return float(self._atom(message))
        except ValueError:
            return _NAN
