"""Pictures of the page, taken by a headless Chromium."""

from __future__ import annotations

import threading
from collections.abc import Callable

from simspark_ros.watching.viewer.chromium import Chromium
from simspark_ros.watching.viewer.settings import ViewerError

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
    url: str, width: int, height: int, after: float, stop: threading.Event, hold: Callable[[], object] = lambda: None
) -> bytes:
    """Return a picture of the page as PNG, `width` by `height` pixels, `after` s after the match is shown.

    `hold` is called before, e.g. to have nothing move.

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
            return browser.screenshot()
    except Exception:
        if stop.is_set():
            raise ViewerError("interrupted") from None
        raise
