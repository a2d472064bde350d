"""Pictures of the page, taken by a headless Chromium that its DevTools protocol commands."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from simspark_ros.clients.processes import end
from simspark_ros.server.viewer_settings import ViewerError

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
"""Names that the program goes by."""

START_PATIENCE = 30.0
"""Longest time for the browser to start, s."""

# Software WebGL; nothing of a user's own browser is touched, as the profile is a new folder. The sandbox of Chromium
# refuses to run as root, and the pages opened here are our own.
_OPTIONS = (
    "--headless=new",
    "--no-sandbox",
    "--no-first-run",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--mute-audio",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--remote-debugging-port=0",
)


def find_browser() -> str | None:
    """Path of a Chromium on this machine, if there is one."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Chromium(AbstractContextManager["Chromium"]):
    """A headless browser with one page of a size in pixels; the event `stop` ends it, and calls fail then.

    Raises:
        ViewerError: there is no browser, or it does not start.
    """

    def __init__(self, width: int = 1280, height: int = 720, stop: threading.Event | None = None) -> None:
        from websockets.sync.client import connect

        path = find_browser()
        if path is None:
            raise ViewerError(f"no browser found ({', '.join(NAMES)}): install one, e.g. apt install chromium")
        self._folder = tempfile.TemporaryDirectory(prefix="simspark-browser-", ignore_cleanup_errors=True)
        command = [path, *_OPTIONS, f"--window-size={width},{height}", f"--user-data-dir={self._folder.name}"]
        self._process = subprocess.Popen(
            [*command, "about:blank"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        if stop:
            threading.Thread(target=self._end_at, args=(stop,), daemon=True).start()
        self._last = 0
        self._page: dict[str, str] = {}
        try:
            port, address = self._address()
            self._socket = connect(f"ws://127.0.0.1:{port}{address}", max_size=None, open_timeout=START_PATIENCE)
            target = self.call("Target.createTarget", url="about:blank")["targetId"]
            session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            self._page = {"sessionId": session}
            size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
            self.call("Emulation.setDeviceMetricsOverride", **size)
        except Exception:
            self.close()
            raise

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the DevTools protocol on the page.

        Raises:
            ViewerError: it failed.
        """
        self._last += 1
        self._socket.send(json.dumps({"id": self._last, "method": method, "params": parameters, **self._page}))
        while (answer := json.loads(self._socket.recv(timeout=120.0))).get("id") != self._last:
            pass
        if "error" in answer:
            raise ViewerError(f"{method}: {answer['error'].get('message')}")
        result: dict[str, Any] = answer["result"]
        return result

    def open(self, url: str) -> None:
        """Open a page, without waiting for it."""
        self.call("Page.navigate", url=url)

    def evaluate(self, expression: str) -> Any:
        """Value of a JavaScript expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise ViewerError(f"{expression}: {answer['exceptionDetails'].get('text')}")
        return answer["result"].get("value")

    def wait_for(self, expression: str, patience: float = 30.0, stop: threading.Event | None = None) -> Any:
        """Wait until a JavaScript expression is true and return its value.

        Raises:
            ViewerError: it was not within `patience` s, or not before `stop` was set.
        """
        deadline = time.monotonic() + patience
        while not (value := self.evaluate(expression)):
            if stop and stop.is_set():
                raise ViewerError("interrupted")
            if time.monotonic() > deadline:
                raise ViewerError(f"the page did not become ready within {patience:g} s: {expression}")
            time.sleep(0.1)
        return value

    def screenshot(self) -> bytes:
        """A picture of the page as PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def close(self) -> None:
        """End the browser; never raises."""
        end(self._process, 10.0)
        self._folder.cleanup()

    def __exit__(self, *error: object) -> None:
        """End it."""
        self.close()

    def _end_at(self, stop: threading.Event) -> None:
        stop.wait()
        self._process.kill()

    def _address(self) -> tuple[str, str]:
        """Port and path that the browser listens on, which it writes into its profile."""
        file, deadline = Path(self._folder.name) / "DevToolsActivePort", time.monotonic() + START_PATIENCE
        while time.monotonic() < deadline and self._process.poll() is None:
            lines = file.read_text().split() if file.exists() else []
            if len(lines) == 2:
                return lines[0], lines[1]
            time.sleep(0.05)
        raise ViewerError(f"{find_browser()} does not start within {START_PATIENCE:g} s")


PATIENCE = 90.0
"""Longest time for the page to show a match, s: WebGL without a graphics card is slow."""

SHOWN = "!!document.querySelector('canvas') && !!document.querySelector('.simspark-board[data-pictures]')"
"""JavaScript: whether a match is shown."""

_OPAQUE = """(() => {
    for (const canvas of document.querySelectorAll('canvas'))
        for (let part = canvas; part; part = part.parentElement)
            if (Number(getComputedStyle(part).opacity) < 1) return false;
    return !document.getAnimations().some(change => change instanceof CSSTransition && change.playState == 'running');
})()"""
"""JavaScript: whether the page, which fades in once it has drawn the scene, has done so."""

_CLOSE_NOTES = "document.querySelectorAll('[class*=Notification-closeButton]').forEach(button => button.click())"


def take_screenshot(
    url: str,
    width: int,
    height: int,
    after: float,
    stop: threading.Event,
    hold: Callable[[], object] = lambda: None,
    check: Callable[[], object] = lambda: None,
) -> bytes:
    """Return a picture of the page as PNG, `width` by `height` pixels, `after` s after the match is shown.

    `hold` is called before, e.g. to have nothing move, and `check` after, while the page is still open, to refuse the
    picture.

    Raises:
        ViewerError: there is no browser, or the page shows no match, or `stop` has ended the attempt.
    """
    # A browser that is ended makes any of these steps fail, each in its own way.
    try:
        with Chromium(width, height, stop) as browser:
            browser.open(url)
            browser.wait_for(SHOWN, PATIENCE, stop)
            stop.wait(after)
            browser.wait_for(_OPAQUE, PATIENCE, stop)
            hold()
            browser.evaluate(_CLOSE_NOTES)
            # Notes fade out.
            stop.wait(1.0)
            picture = browser.screenshot()
            check()
            return picture
    except Exception:
        if stop.is_set():
            raise ViewerError("interrupted") from None
        raise
