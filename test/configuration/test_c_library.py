import ctypes
import inspect
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from simspark_ros.configuration.c_library import ARENAS, END_WITH, end_with_parent
from test.rigs.waiting import DEADLINE

# Each thread holds a block until all have one, so that no arena is free for the next.
PROGRAM = """
import ctypes, sys, threading
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
if sys.argv[1] == "few":
    from simspark_ros.configuration.c_library import keep_memory_small
    keep_memory_small()
barrier = threading.Barrier(12)
def work():
    libc.malloc(1000)
    barrier.wait()
threads = [threading.Thread(target=work) for _ in range(12)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
libc.fdopen.restype, libc.malloc_info.argtypes = ctypes.c_void_p, [ctypes.c_int, ctypes.c_void_p]
file = libc.fdopen(1, b"w")
libc.malloc_info(0, file)
libc.fflush(None)
"""

LONG_LIVED = """
import ctypes, threading, time
from pathlib import Path
from simspark_ros.configuration import c_library
{functions}
c_library.MEMORY_PERIOD = 0.01
leave_holes()
before = resident()
for _ in range(2):
    c_library.keep_memory_small()
while resident() > before - 50e6:
    time.sleep(0.01)
print("small again,", threading.active_count(), "threads")
"""


def run(program: str, *arguments: str) -> str:
    """The output of a program in a process whose heap no environment variable tunes."""
    tuning = ("MALLOC_", "GLIBC_TUNABLES")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(tuning)}
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=DEADLINE, env=environment)
    return done.stdout


def arenas(mode: str) -> int:
    return run(PROGRAM, mode).count("<heap nr=")


pytestmark = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has arenas")


def test_threads_share_few_arenas_and_a_process_returns_freed_memory_by_itself() -> None:
    assert arenas("few") <= ARENAS < arenas("usual")
    program = LONG_LIVED.format(functions=inspect.getsource(leave_holes) + inspect.getsource(resident))
    assert run(program) == "small again, 2 threads\n"


def resident() -> int:
    """Bytes of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def leave_holes() -> None:
    """Free 60 MB that glibc does not give back by itself, as the last block lies behind them, for good."""
    libc = ctypes.CDLL(None)
    libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    libc.free.argtypes = [ctypes.c_void_p]
    blocks = [libc.malloc(20_000) for _ in range(3_000)]
    for block in blocks:
        ctypes.memset(block, 1, 20_000)
    for block in blocks[:-1]:
        libc.free(block)


# The control sets a size above that of the blocks: what glibc does by itself depends on what was freed before. Blocks
# fill the holes of the heap first, so the last one lies above the others and holds them in the heap.
LARGE_BLOCKS = f"""
import ctypes, sys
import psutil
from simspark_ros.configuration import c_library
if sys.argv[1] == "keep":
    ctypes.CDLL(None).mallopt(c_library._M_MMAP_THRESHOLD, {2**25})
else:
    c_library.give_back_large_blocks()
# One that is freed tells glibc to keep blocks of that size, unless the size was set.
bytearray({2**20})
before = psutil.Process().memory_info().rss
blocks = [bytearray({2**20}) for _ in range(60)]
del blocks[:-1]
print((psutil.Process().memory_info().rss - before) / {2**20})
"""


@pytest.mark.parametrize(("word", "kept"), [("keep", True), ("give back", False)])
def test_large_blocks_go_back_to_the_system(word: str, kept: bool) -> None:
    assert (float(run(LARGE_BLOCKS, word)) > 40.0) == kept


CHILD = """
import signal
from simspark_ros.configuration.c_library import end_with_parent
end_with_parent()
print("up", flush=True)
signal.pause()
"""
PARENT = """
import os, subprocess, sys
from simspark_ros.configuration.c_library import END_WITH
subprocess.run([sys.executable, "-c", sys.argv[1]], env={**os.environ, END_WITH: str(os.getpid())})
"""


@pytest.mark.skipif(platform.system() != "Linux", reason="prctl is Linux's")
def test_a_program_ends_with_the_parent_that_is_named() -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT, CHILD], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None and parent.stdout.readline() == "up\n"
        parent.kill()
        # The child holds the other end of the pipe until it ends.
        assert parent.stdout.read() == ""


def test_a_program_whose_named_parent_has_died_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        pass
    monkeypatch.setenv(END_WITH, str(gone.pid))
    with pytest.raises(SystemExit):
        end_with_parent()
    # Its own children do not look for that one.
    assert END_WITH not in os.environ
    end_with_parent()
