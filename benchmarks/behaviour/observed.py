"""A running server as the kernel shows it: who listens on a port, processor time, whether all threads wait."""

from pathlib import Path

_LISTENING = "0A"


class Observed:
    """A process of this machine, by its number."""

    def __init__(self, pid: int) -> None:
        self._tasks = Path(f"/proc/{pid}/task")

    @property
    def processor_time(self) -> float:
        """Time that its threads have used so far, s."""
        return sum(int(spent.split()[0]) for spent in self._read("schedstat")) / 1e9

    @property
    def sleeping(self) -> bool:
        """Whether all its threads wait for something."""
        return all(state.rpartition(")")[2].split()[0] == "S" for state in self._read("stat"))

    def _read(self, name: str) -> list[str]:
        return [path.read_text() for path in self._tasks.glob(f"*/{name}")]


def listener_on(port: int) -> Observed | None:
    """The process that listens on a TCP port of this machine; None if there is none, or it is another user's."""
    sockets = {f"socket:[{inode}]" for inode in _listening_inodes(port)}
    for link in Path("/proc").glob("[0-9]*/fd/*") if sockets else ():
        try:
            if str(link.readlink()) in sockets:
                return Observed(int(link.parts[2]))
        except OSError:
            # It has ended meanwhile, or belongs to another user.
            continue
    return None


def _listening_inodes(port: int) -> list[str]:
    lines = [
        line.split() for file in ("tcp", "tcp6") for line in Path(f"/proc/net/{file}").read_text().splitlines()[1:]
    ]
    return [line[9] for line in lines if line[3] == _LISTENING and line[1].endswith(f":{port:04X}")]
