"""Addresses at which a process and its children receive, as the kernel shows them."""

import contextlib
import ipaddress
from collections.abc import Iterator
from pathlib import Path

from test.rigs.processes import children

_LISTENING = "0A"


def receiving_addresses(pid: int) -> set[str]:
    """Of all bound UDP and listening TCP sockets of a process and its descendants, without ports."""
    sockets = {inode for each in _family(pid) for inode in _sockets(each)}
    found = set()
    for table in ("tcp", "tcp6", "udp", "udp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            words = line.split()
            if words[9] in sockets and (table.startswith("udp") or words[3] == _LISTENING):
                found.add(_address(words[1].split(":")[0]))
    return found


def beyond_this_machine(addresses: set[str]) -> set[str]:
    """Those that other machines may reach; Linux delivers to a multicast group what comes from any network."""
    return {one for one in addresses if not ipaddress.ip_address(one).is_loopback}


def _family(pid: int) -> Iterator[int]:
    yield pid
    for child in children(pid):
        yield from _family(child)


def _sockets(pid: int) -> Iterator[str]:
    for link in Path(f"/proc/{pid}/fd").glob("*"):
        with contextlib.suppress(OSError):
            target = str(link.readlink())
            if target.startswith("socket:["):
                yield target[len("socket:[") : -1]


def _address(digits: str) -> str:
    # Words of 32 bits in the machine's order, which is little-endian wherever this runs.
    words = [bytes.fromhex(digits[start : start + 8])[::-1] for start in range(0, len(digits), 8)]
    return str(ipaddress.ip_address(b"".join(words)))
