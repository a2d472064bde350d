"""The page in a real browser: headless Chromium, which draws by software."""

import io
import threading

import numpy as np
import pytest

from simspark_ros.protocol.monitor.drawings import write_drawing
from simspark_ros.simulation.drawings import Drawing, Plane, tinted
from simspark_watching.viewer.screenshot import NAMES, SHOWN, Chromium, find_browser, take_screenshot
from test.rigs.waiting import DEADLINE, until
from watching.test.viewer.conftest import viewing

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_browser() is None, reason=f"no browser is installed ({', '.join(NAMES)})"),
]
SIZE = (560, 300)
PRESS = "[...document.querySelectorAll('button')].find(button => button.innerText.trim() == '{}').click()"
TYPE_K = "document.documentElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'k', code: 'KeyK'}))"
QUESTION_MARK = "document.documentElement.dispatchEvent(new KeyboardEvent('keydown', {key: '?', bubbles: true}))"
PICTURES = "Number(document.querySelector('.simspark-board').dataset.pictures)"


def test_the_page_shows_the_match_follows_it_and_its_buttons_work(server):
    with viewing(server.port) as viewer, Chromium(*SIZE) as browser:
        browser.open(viewer.url)
        browser.wait_for(SHOWN, DEADLINE)
        assert "Lions" in browser.evaluate("document.body.innerText")
        # The name of the team has tags in it.
        assert browser.evaluate("[...document.querySelectorAll('b')].every(b => !b.innerText.includes('Dragons'))")
        browser.wait_for("document.title.startsWith('Lions') && document.title.endsWith('simspark')")
        assert browser.evaluate("document.querySelector('#simspark-board').innerText").startswith("00:"), "the clock"
        browser.evaluate(QUESTION_MARK)
        assert "kick-off left" in browser.evaluate("document.querySelector('#simspark-keys').innerText")
        browser.evaluate(QUESTION_MARK)
        assert browser.evaluate("document.querySelector('#simspark-keys').hidden")
        seen = browser.evaluate(PICTURES)
        browser.wait_for(f"{PICTURES} > {seen + 10}", DEADLINE)
        browser.evaluate(PRESS.format("pause"))
        until(lambda: "(pause)" in server.heard)
        browser.evaluate(PRESS.format("drop"))
        until(lambda: "(dropBall)" in server.heard)
        browser.evaluate(PRESS.format("reset"))
        until(lambda: "(reset)" in server.heard)
        browser.evaluate(TYPE_K)
        until(lambda: "(kickOff Left)" in server.heard)


def test_the_panel_of_a_phone_is_closed_at_first_as_wide_as_the_phone_and_leaves_the_rest_to_the_picture(server):
    def edge(element: str, side: str) -> int:
        found: float = page.evaluate(f"document.querySelector('{element}').getBoundingClientRect().{side}")
        return round(found)

    width, height = 500, 400
    with viewing(server.port) as viewer, Chromium(width, height) as page:
        page.open(viewer.url)
        page.wait_for(SHOWN, DEADLINE)
        until(lambda: edge("canvas", "bottom") == edge(".simspark-panel", "top") > 0.7 * height)
        page.evaluate("document.querySelector('.simspark-panel [style*=\"cursor: pointer\"]').click()")
        until(lambda: edge("canvas", "bottom") == edge(".simspark-panel", "top") < 0.6 * height)
        assert edge(".simspark-panel [role=tablist]", "width") == width
        page.call("Emulation.setDeviceMetricsOverride", width=900, height=width, deviceScaleFactor=1, mobile=False)
        until(lambda: edge("canvas", "bottom") == width)


def test_a_list_of_a_phone_opens_and_the_page_stays_as_wide_as_the_phone(server):
    # The input of a label is in the same row, at a depth that viser chooses.
    row = "[...document.querySelectorAll('.simspark-panel *')].filter(one => one.querySelector('input') &&"
    field = f"{row} one.innerText.trim() == 'Speed').at(-1)?.querySelector('input')"
    option = "[...document.querySelectorAll('[role=option]')].find(one => one.innerText == '1/4' && one.offsetHeight)"
    with viewing(server.port) as viewer, Chromium() as page:
        page.call("Emulation.setDeviceMetricsOverride", width=390, height=600, deviceScaleFactor=1, mobile=True)
        page.open(viewer.url)
        page.wait_for(SHOWN, DEADLINE)
        page.wait_for("!!document.querySelector('.simspark-panel')", DEADLINE)
        page.evaluate("document.querySelector('.simspark-panel [style*=\"cursor: pointer\"]').click()")
        page.wait_for(f"{field}?.getBoundingClientRect().bottom < 600", DEADLINE)
        page.evaluate("window.widths = new Set(); setInterval(() => widths.add(innerWidth), 10)")
        page.evaluate(f"{field}.click()")
        page.wait_for(f"!!{option}", DEADLINE)
        page.evaluate(f"{option}.click()")
        until(lambda: "(speed 0.25)" in server.heard)
        assert page.evaluate("[...widths]") == [390]


def test_a_screenshot_shows_grass_and_both_teams(server):
    from PIL import Image

    with viewing(server.port, follow="left 1") as viewer:
        data = take_screenshot(viewer.url, *SIZE, 4.0, threading.Event(), lambda: viewer.command("(pause)"))
    with Image.open(io.BytesIO(data)) as image:
        assert image.size == SIZE
        red, green, blue = np.asarray(image.convert("RGB"), np.int64).reshape(-1, 3).T
    # Most of what is left of the panel is grass; the robots wear blue and red.
    assert np.mean((green > red + 20) & (green > blue + 20)) > 0.25
    assert np.sum((blue > red + 60) & (blue > green + 40)) > 20


def test_drawings_of_programs_are_on_the_page_and_hostile_ones_stop_nothing(server):
    from PIL import Image

    pixels = np.zeros((2, 2, 3), np.uint8)
    # As seen from above: magenta where x is small and y is great.
    pixels[0, 0] = 255, 0, 255
    drawing = Drawing(
        texts=((0.0, 0.0, 1.0, "<b>here</b>"),),
        segments=np.full((1, 2, 3), 900.0),
        segment_colours=tinted(1, (0, 0, 255)),
        plane=Plane(pixels, 12.0, 8.0, (0.0, 0.0, 0.02)),
    )
    server.extra += [b'{"drawing": 3}', b'{"drawing": {"name": "x", "points": "%%"}}', write_drawing("map", drawing)]
    with viewing(server.port) as viewer, Chromium(*SIZE) as page:
        page.open(viewer.url)
        page.wait_for(SHOWN, DEADLINE)

        def magenta() -> list[list[int]]:
            with Image.open(io.BytesIO(page.screenshot())) as image:
                red, green, blue = np.asarray(image.convert("RGB"), np.int64).transpose(2, 0, 1)
            found: list[list[int]] = np.argwhere((red > green + 60) & (blue > green + 60)).tolist()
            return found

        def in_place() -> bool:
            """One quarter of the map, at the back and left: it ends in the middle of the field.

            The browser may draw once or twice before its camera is where the viewer puts it.
            """
            rows = [row for row, _ in magenta()]
            height = page.evaluate("document.querySelector('canvas').clientHeight")
            return len(rows) > 200 and min(rows) < 0.3 * height < 0.5 * height < max(rows) < 0.7 * height

        until(in_place)
        assert any("a drawing cannot be read" in line for line in viewer.lines)
        server.extra.append(write_drawing("map", Drawing()))
        until(lambda: not magenta())
