import fcntl
import io
import os
import pty
import struct
import termios

from simspark_ros.terminal import fitted

TEXT = "WARNING: a line that is longer than a terminal of forty columns can show\nand a short one"


def test_a_text_is_wrapped_between_words_where_a_terminal_shows_it_and_not_in_a_file():
    shown, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 40, 0, 0))
    with os.fdopen(shown, "rb"), os.fdopen(terminal, "w") as output:
        lines = fitted(TEXT, output).split("\n")
    assert max(map(len, lines)) < 40 and lines[-1] == "and a short one"
    assert " ".join(line.strip() for line in lines) == TEXT.replace("\n", " ")
    assert fitted(TEXT, io.StringIO()) == TEXT
