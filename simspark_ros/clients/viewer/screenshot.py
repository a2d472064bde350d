"""Pictures of the page, taken by a headless Chromium."""

from __future__ import annotations

import threading
from collections.abc import Callable

from simspark_ros.clients.viewer.chromium import Chromium

PATIENCE = 90.0
"""How long the page may take to show a match, s: WebGL without a graphics card is slow."""

SHOWN = "!!document.querySelector('canvas') && !!document.querySelector('.simspark-board[data-pictures]')"
"""JavaScript: whether a match is shown."""

_CLOSE_NOTES = "document.querySelectorAll('[class*=Notification-closeButton]').forEach(button => button.click())"


def take_screenshot(
    url: str, width: int, height: int, after: float, stop: threading.Event, hold: Callable[[], object] = lambda: None
) -> bytes:
    """Return a picture of the page as PNG.

    Args:
        url: of the page.
        width: of the picture, pixels.
        height: likewise.
        after: how long to wait after the match is shown, s.
        stop: ends the attempt.
        hold: called before the picture is taken, e.g. to have nothing move.

    Raises:
        ViewerError: there is no browser, or the page shows no match, or the attempt was ended.
    """
    with Chromium(width, height) as browser:
        browser.open(url)
        browser.wait_for(SHOWN, PATIENCE, stop)
        # The page fades in once it has drawn the scene.
        stop.wait(after)
        hold()
        browser.evaluate(_CLOSE_NOTES)
        # Notes fade out.
        stop.wait(1.0)
        return browser.screenshot()
