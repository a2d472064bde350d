"""Signals that end a process."""

import subprocess
import sys

INTERRUPTED = """
import os
import signal
from simspark_ros.server.signals import Signals

class AtTheEnd:
    def __del__(self, kill=os.kill, process=os.getpid()):
        kill(process, signal.SIGINT)

kept = AtTheEnd()
heard = []
Signals().on_signal(lambda: heard.append(True))
os.kill(os.getpid(), signal.SIGINT)
print(len(heard))
"""


def test_an_interrupt_while_python_ends_is_no_failure() -> None:
    ended = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "1\n", "")
