# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Messages to agents as text: the loops of `protocol.agent.encoder` and `protocol.agent.see_encoder`."""

import cython
from cython.cimports.libc.math import copysign, fabs, floor

if cython.compiled:
    from cython.cimports.libc.string import memcpy

_RANGE = 400
"""Largest number that is written digit by digit, enough for angles in degrees and nearly all others of messages."""

_MOST_STEPS = 40_000
"""Most steps of the last decimal in a number that is written digit by digit: more decimals lower the limit."""

_WHOLE = cython.declare(cython.double, 6755399441055744.0)
"""A double whose neighbours are 1 away: added and taken off again, it rounds to whole numbers, halves to even ones."""

_LONGEST_NUMBER = cython.declare(cython.Py_ssize_t, 16)
"""Room for a blank, a sign, the digits of `_RANGE` and `_MOST_STEPS`, and a point."""

# Characters.
_BLANK = cython.declare(cython.uchar, 32)
_MINUS = cython.declare(cython.uchar, 45)
_POINT = cython.declare(cython.uchar, 46)
_ZERO = cython.declare(cython.uchar, 48)


@cython.final
@cython.cclass
class TextBuffer:
    """A text while it is written.

    Numbers are written as `"%.2f" % number` does. Only one within rounding error of half a step, such as 2.675, may be
    rounded the other way. Frequent calls return True: after a function that returns nothing, Cython asks whether
    there was an error.

    Args:
        decimals: digits after the point, 0 to 4.
        blank: whether each number begins with a blank.
        signed_zero: whether a negative number that is rounded to zero is `-0.00`, as in formatting, or `0.00`.
        cut: whether numbers are cut off instead of rounded, and written as Python does, as short as possible: `-0.3`.
    """

    length: cython.Py_ssize_t
    _store: bytearray
    _text: cython.uchar[::1]
    _format: str
    _decimals: cython.int
    _blank: cython.bint
    _signed_zero: cython.bint
    _cut: cython.bint
    _steps: cython.uint
    _limit: cython.double

    def __init__(self, decimals: int, blank: bool, signed_zero: bool, cut: bool = False) -> None:
        self.length = 0
        self._store = bytearray(4096)
        self._text = memoryview(self._store)
        self._format = f"{' ' * blank}%.{decimals}f"
        self._decimals = decimals
        self._blank = blank
        self._signed_zero = signed_zero
        self._cut = cut
        self._steps = 10**decimals
        self._limit = min(_RANGE * 10**decimals, _MOST_STEPS)

    @cython.ccall
    def clear(self) -> cython.bint:
        """Begin an empty text."""
        self.length = 0
        return True

    @cython.ccall
    def text(self) -> bytes:
        """The text so far."""
        return bytes(self._store[: self.length])

    @cython.ccall
    def put(self, text: bytes) -> cython.bint:
        """Append a text."""
        size: cython.Py_ssize_t = len(text)
        if self.length + size > self._text.shape[0]:
            self._grow(size)
        if cython.compiled:
            memcpy(cython.address(self._text[self.length]), cython.cast(cython.p_char, text), size)
        else:
            self._store[self.length : self.length + size] = text
        self.length += size
        return True

    @cython.ccall
    def put_number(self, number: cython.double) -> cython.bint:
        """Append a number."""
        steps: cython.double = fabs((number * self._steps + _WHOLE) - _WHOLE)
        if self._cut:
            steps = floor(fabs(number * self._steps))
        if not steps <= self._limit:
            return self._put_large(number)
        at: cython.Py_ssize_t = self.length
        if at + _LONGEST_NUMBER > self._text.shape[0]:
            self._grow(_LONGEST_NUMBER)
        count: cython.uint = cython.cast(cython.uint, steps)
        _n: cython.int
        if self._blank:
            self._text[at] = _BLANK
            at += 1
        if copysign(1.0, number) < 0.0 and (count or self._signed_zero):
            self._text[at] = _MINUS
            at += 1
        digits: cython.int = 1 + (count >= 10 * self._steps) + (count >= 100 * self._steps)
        decimals: cython.int = self._decimals
        # As Python writes numbers: without zeros at the end, but with one decimal at least.
        while self._cut and decimals > 1 and count % 10 == 0:
            count //= 10
            decimals -= 1
        # Backwards, because division gives the last digit first.
        at += digits + decimals + (decimals > 0)
        self.length = at
        for _n in range(decimals):
            at -= 1
            self._text[at] = _ZERO + count % 10
            count //= 10
        if self._decimals:
            at -= 1
            self._text[at] = _POINT
        for _n in range(digits):
            at -= 1
            self._text[at] = _ZERO + count % 10
            count //= 10
        return True

    @cython.cfunc
    def _put_large(self, number: cython.double) -> cython.bint:
        """Append a number that is too large to be written digit by digit."""
        if not self._cut:
            return self.put((self._format % number).encode())
        # Python's own text: decimals after a number this large are few, and none after 2^53.
        whole = int(number * self._steps) / self._steps
        text = f"{' ' * self._blank}{whole}" if self._decimals else f"{' ' * self._blank}{int(whole)}"
        return self.put(text.encode())

    @cython.cfunc
    def _grow(self, size: cython.Py_ssize_t) -> cython.void:
        # The memory in use cannot grow in place.
        self._store = self._store + bytearray(len(self._store) + size)
        self._text = memoryview(self._store)


@cython.dataclasses.dataclass(eq=False, repr=False)
@cython.cclass
class Pattern:
    """A message for one set of silent perceptors: E entries between fixed texts.

    Attributes:
        texts: E + 1 texts.
        entries: (E,) index of what stands behind each text but the last, among the ready texts and then the numbers.
    """

    texts: list
    entries: cython.longlong[::1]


@cython.dataclasses.dataclass(eq=False, repr=False)
@cython.cclass
class MessageKernel:
    """Writes the messages of all clients of one layout, with N numbers, a robot's behind each other.

    Attributes:
        buffer: buffer in which messages are written.
        limit: size from which on numbers cannot be sent.
        source: (N,) index of each number among the values.
        slots: (N,) perceptor of each number.
        factors: (N,) factors from values to messages.
        formats: functions that write numbers with decimals of their own, by the number's index.
        last: (N,) values sent last.
        numbers: (N,) room for the numbers as they are sent.
        replaced: count of values so far that could not be sent and were replaced by the last good ones.
    """

    buffer: TextBuffer
    limit: cython.double
    source: cython.longlong[::1]
    slots: cython.longlong[::1]
    factors: cython.double[::1]
    formats: dict
    last: cython.double[::1]
    numbers: cython.double[::1]
    replaced: cython.Py_ssize_t = 0

    def take(self, values: cython.const[cython.double][:], present: bytes) -> None:
        """Take the numbers of a cycle from all values; `present` has a byte for each perceptor, 0 for silent ones."""
        n: cython.Py_ssize_t
        for n in range(self.source.shape[0]):
            if self.source[n] >= values.shape[0] or self.slots[n] >= len(present):
                raise IndexError("the layout names a value beyond the last one")
            value: cython.double = values[self.source[n]]
            if fabs(value) < self.limit:
                self.last[n] = value
            else:
                self.replaced += present[self.slots[n]] != 0
            self.numbers[n] = self.last[n] * self.factors[n]

    def write(self, pattern: Pattern, ready: list, first: cython.Py_ssize_t) -> bytes:
        """Write the framed message of a robot: its ready texts, and its numbers, which begin with the index `first`."""
        n: cython.Py_ssize_t
        count: cython.Py_ssize_t = len(ready)
        self.buffer.clear()
        self.buffer.put(b"    ")
        for n in range(pattern.entries.shape[0]):
            self.buffer.put(pattern.texts[n])
            entry: cython.Py_ssize_t = pattern.entries[n]
            if entry < count:
                self.buffer.put(ready[entry])
                continue
            index: cython.Py_ssize_t = first + entry - count
            if self.formats and index in self.formats:
                self.buffer.put(self.formats[index](self.numbers[index]).encode())
            else:
                self.buffer.put_number(self.numbers[index])
        self.buffer.put(pattern.texts[pattern.entries.shape[0]])
        size: cython.Py_ssize_t = self.buffer.length - 4
        for n in range(4):
            self.buffer._text[n] = (size >> (24 - 8 * n)) & 255
        return self.buffer.text()


@cython.dataclasses.dataclass(eq=False, repr=False)
@cython.cclass
class SeenKernel:
    """Writes what robots see, with T targets of one layout.

    Attributes:
        buffer: buffer in which messages are written.
        limit: size from which on coordinates cannot be sent.
        unit: factor from rad to the unit of angles.
        opening: text in front of all objects.
        starts, insides: (T,) texts in front of a target's coordinates: at the start of its group, and inside of it.
        ends: (T,) texts behind a group that ends with the target.
        groups: (T,) group of each target; neighbours of one group form one expression.
        listed: (T,) whether each target is sent at all.
        line: texts in front of the first end of a line, between its ends, and behind it.
        blind: whether an observer that sees nothing gets a message, too.
        left_out: count of objects and lines so far that could not be sent.
    """

    buffer: TextBuffer
    limit: cython.double
    unit: cython.double
    opening: bytes
    starts: list
    insides: list
    ends: list
    groups: cython.longlong[::1]
    listed: cython.const[cython.uchar][::1]
    line: tuple
    blind: cython.bint = False
    left_out: cython.Py_ssize_t = 0

    def write(
        self,
        observers: cython.const[cython.longlong][:],
        object_offset: cython.const[cython.longlong][:],
        targets: cython.const[cython.longlong][:],
        objects: cython.const[cython.double][:, :],
        line_offset: cython.const[cython.longlong][:],
        lines: cython.const[cython.double][:, :, :],
        extras: dict,
    ) -> dict:
        """Write the message of each observer that sees something, by its row.

        Args:
            observers: (M,) rows of the robots that look.
            object_offset: (M + 1,) first object of each observer.
            targets: (K,) target of each object.
            objects: (K, 3) distances, m, azimuths and elevations, rad.
            line_offset: (M + 1,) first line of each observer.
            lines: (L, 2, 3) the same of both ends of lines.
            extras: texts between objects and lines, by row.
        """
        i: cython.Py_ssize_t
        messages: dict = {}
        if object_offset[observers.shape[0]] > targets.shape[0] or line_offset[observers.shape[0]] > lines.shape[0]:
            raise IndexError("an observer has an object or line beyond the last one")
        for i in range(observers.shape[0]):
            row = observers[i]
            self.buffer.clear()
            self.buffer.put(self.opening)
            self._write_objects(targets, objects, object_offset[i], object_offset[i + 1])
            if row in extras:
                self.buffer.put(extras[row])
            self._write_lines(lines, line_offset[i], line_offset[i + 1])
            if self.blind or self.buffer.length > len(self.opening):
                self.buffer.put(b")")
                messages[row] = self.buffer.text()
        return messages

    @cython.cfunc
    def _write_objects(
        self,
        targets: cython.const[cython.longlong][:],
        objects: cython.const[cython.double][:, :],
        begin: cython.longlong,
        end: cython.longlong,
    ) -> cython.void:
        k: cython.Py_ssize_t
        before: cython.longlong = -1
        for k in range(begin, end):
            target: cython.longlong = targets[k]
            if not 0 <= target < self.groups.shape[0]:
                raise IndexError("the layout has no such target")
            if not self._is_sendable(objects[k, 0], objects[k, 1], objects[k, 2]):
                self.left_out += 1
                continue
            if not self.listed[target]:
                continue
            if before >= 0 and self.groups[before] == self.groups[target]:
                self.buffer.put(self.insides[target])
            else:
                if before >= 0:
                    self.buffer.put(self.ends[before])
                self.buffer.put(self.starts[target])
            self._put_point(objects[k, 0], objects[k, 1], objects[k, 2])
            self.buffer.put(b"))")
            before = target
        if before >= 0:
            self.buffer.put(self.ends[before])

    @cython.cfunc
    def _write_lines(
        self, lines: cython.const[cython.double][:, :, :], begin: cython.longlong, end: cython.longlong
    ) -> cython.void:
        k: cython.Py_ssize_t
        for k in range(begin, end):
            if self._is_sendable(lines[k, 0, 0], lines[k, 0, 1], lines[k, 0, 2]) and self._is_sendable(
                lines[k, 1, 0], lines[k, 1, 1], lines[k, 1, 2]
            ):
                self.buffer.put(self.line[0])
                self._put_point(lines[k, 0, 0], lines[k, 0, 1], lines[k, 0, 2])
                self.buffer.put(self.line[1])
                self._put_point(lines[k, 1, 0], lines[k, 1, 1], lines[k, 1, 2])
                self.buffer.put(self.line[2])
            else:
                self.left_out += 1

    @cython.cfunc
    def _is_sendable(self, distance: cython.double, azimuth: cython.double, elevation: cython.double) -> cython.bint:
        return fabs(distance) < self.limit and fabs(azimuth) < self.limit and fabs(elevation) < self.limit

    @cython.cfunc
    def _put_point(self, distance: cython.double, azimuth: cython.double, elevation: cython.double) -> cython.bint:
        self.buffer.put_number(distance)
        self.buffer.put_number(azimuth * self.unit)
        return self.buffer.put_number(elevation * self.unit)
