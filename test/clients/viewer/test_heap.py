"""What freed memory of the page does."""

from __future__ import annotations

import subprocess
import sys

import pytest

MEGABYTE = 2**20
PROGRAM = f"""
import sys
import psutil
from simspark_ros.clients.viewer.heap import give_back_freed_memory
if "give back" in sys.argv:
    give_back_freed_memory()
# One that is freed tells glibc to keep blocks of that size.
bytearray({MEGABYTE})
before = psutil.Process().memory_info().rss
blocks = [bytearray({MEGABYTE}) for _ in range(50)]
# Above them all in the heap.
small = [bytearray(100_000) for _ in range(3)]
del blocks
print((psutil.Process().memory_info().rss - before) / {MEGABYTE})
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other C libraries keep memory otherwise")
@pytest.mark.parametrize(("word", "kept"), [("keep", True), ("give back", False)])
def test_blocks_of_a_megabyte_go_back_to_the_system(word, kept):
    done = subprocess.run([sys.executable, "-c", PROGRAM, word], capture_output=True, text=True, check=True)
    assert (float(done.stdout) > 40.0) == kept
