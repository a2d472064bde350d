"""The bridge as a managed node: its ports are open while it is active."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from queue import SimpleQueue

from simspark_ros.ros.lifecycle import ACTIVE, FINALIZED, INACTIVE, UNCONFIGURED, TransitionRefusedError

_PATIENCE = 30.0
"""Seconds that a transition may wait for the thread that serves the ports."""


class ManagedBridge:
    """See `Managed`. Transitions are requested in the executor's thread, and carried out in the thread of the ports.

    Args:
        open_ports, close_ports: functions that make the bridge active and inactive; they may raise `UserError`.
        wake: function that ends the wait of the ports' thread.

    Attributes:
        state: the bridge's current lifecycle state.
    """

    def __init__(
        self, open_ports: Callable[[], None], close_ports: Callable[[], None], wake: Callable[[], None]
    ) -> None:
        self.state = int(ACTIVE)
        self._wake = wake
        self._transitions: dict[str, tuple[Callable[[], None], int]] = {
            "configure": (lambda: None, INACTIVE),
            "activate": (open_ports, ACTIVE),
            "deactivate": (close_ports, INACTIVE),
            "cleanup": (lambda: None, UNCONFIGURED),
            "shutdown": (close_ports, FINALIZED),
        }
        self._asked: SimpleQueue[tuple[str, Future[None]]] = SimpleQueue()

    async def carry_out(self, label: str) -> None:
        """Have a transition carried out; nothing else waits for the executor of a bridge meanwhile."""
        done: Future[None] = Future()
        self._asked.put((label, done))
        self._wake()
        try:
            done.result(_PATIENCE)
        except FutureTimeoutError:
            done.cancel()
            raise TransitionRefusedError(f"the ports were not served for {_PATIENCE:g} s") from None

    def work_off(self) -> None:
        """Carry out what was asked for; in the thread of the ports."""
        while not self._asked.empty():
            label, done = self._asked.get()
            if not done.set_running_or_notify_cancel():
                continue
            work, state = self._transitions[label]
            try:
                work()
            except Exception as error:
                done.set_exception(error)
            else:
                self.state = state
                done.set_result(None)
