"""Ray: work for the processes of a cluster, on this machine or on many."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from contextlib import AbstractContextManager, suppress
from typing import Any

from simspark_ros.configuration.errors import MissingPackageError, UserError, in_a_line, reason

CONNECT_TIMEOUT = 10.0
"""Longest wait for a connection, s."""


class Cluster(AbstractContextManager["Cluster"]):
    """A connection to a Ray cluster; `with` ends it, and the work that still runs there.

    Arguments and results are pickled. The cluster's machines need this package and all named files.

    Attributes:
        cores: number of cores of all its machines at the start.

    Args:
        address: `HOST:PORT` on a machine of the cluster, `ray://HOST:PORT` from outside. Empty: the environment
            variable RAY_ADDRESS, else a new cluster of all cores of this machine.

    Raises:
        UserError: Ray is not installed, or the cluster does not answer.
    """

    def __init__(self, address: str = "") -> None:
        # Otherwise Ray reports its use to its makers.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        self._ray = _ray()
        address = address or os.environ.get("RAY_ADDRESS", "")
        try:
            _reach(address)
            self._ray.init(address or "local", include_dashboard=False, log_to_driver=False, logging_level="error")
        except Exception as error:
            named = f"'{address}'" if address else "on this machine"
            raise UserError(f"the Ray cluster {named} cannot be used: {in_a_line(reason(error))}") from None
        self.cores = int(self._ray.cluster_resources().get("CPU", 0))
        self._references: dict[Future[Any], Any] = {}

    def submit(self, work: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Call a function once, in a process with a core for itself, as soon as a core is free."""
        reference = self._ray.remote(num_cpus=1, max_retries=0)(work).remote(*arguments)
        future: Future[Any] = reference.future()
        self._references[future] = reference
        future.add_done_callback(self._references.pop)
        return future

    def cancel(self, works: Iterable[Future[Any]]) -> None:
        """Interrupt running work, as Ctrl-C does, and begin no other."""
        for reference in [self._references[work] for work in list(works) if work in self._references]:
            self._ray.cancel(reference)

    def host(self, make: Callable[[], Any]) -> Hosted:
        """Make an object in a process with a core for itself; the object stays there."""
        return Hosted(self._ray, make)

    def __exit__(self, *error: object) -> None:
        """Disconnect; a cluster that was started ends."""
        self._ray.shutdown()


class Hosted:
    """An object in a process of a cluster, whose methods are called from here; made by `Cluster.host`."""

    def __init__(self, ray: Any, make: Callable[[], Any]) -> None:
        self._ray = ray
        self._holder = ray.remote(num_cpus=1, max_restarts=0)(_Holder).remote(make)

    def ask(self, name: str, *arguments: Any) -> Any:
        """Call a method.

        Raises:
            UserError: the method or the making of the object raised it, or the process has ended.
        """
        try:
            answer = self._ray.get(self._holder.call.remote(name, *arguments))
        except Exception as error:
            raise UserError(f"a process of the Ray cluster has failed: {fate(error)}") from None
        if isinstance(answer, UserError):
            raise answer
        return answer

    def close(self) -> None:
        """End the process."""
        with suppress(Exception):
            self._ray.kill(self._holder)


class _Holder:
    """Returns errors for the user as values: Ray would wrap them up."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make, self._made = make, None

    def call(self, name: str, *arguments: Any) -> Any:
        try:
            self._made = self._made or self._make()
            return getattr(self._made, name)(*arguments)
        except UserError as error:
            return error


def fate(error: BaseException) -> str:
    """The reason for failed work, in a line: the error raised there, or the fate of its process."""
    cause = getattr(error, "cause", None) or error
    return in_a_line(str(cause) if isinstance(cause, UserError) else f"{type(cause).__name__}: {cause}")


def _reach(address: str) -> None:
    """Ray itself would try for minutes; an OSError if nobody listens there."""
    host, colon, port = address.rpartition("/")[2].rpartition(":")
    if colon and port.isdigit():
        socket.create_connection((host, int(port)), CONNECT_TIMEOUT).close()


def _ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise MissingPackageError(
            f"--ray needs the package 'ray': {error}; install it with pip install './matches[ray]'"
        ) from error
    return ray
