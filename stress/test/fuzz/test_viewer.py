"""The stress door of the viewer knows the elements of a real page."""

import random
from types import SimpleNamespace
from typing import cast

import pytest

from simspark_stress.fuzz.doors.viewer import VIEWER, ViewerDoor
from simspark_stress.fuzz.server import Server
from test.rigs.waiting import until
from watching.test.viewer.conftest import PaperServer, viewing

pytest.importorskip("viser", reason="viser is not installed")


def test_cases_address_the_elements_of_the_page_and_it_goes_on():
    server = PaperServer()
    with viewing(server.port) as viewer:
        door = ViewerDoor(cast(Server, SimpleNamespace(ports={"viewer": viewer.url})))
        gui = viewer._page._server.gui
        assert set(gui._gui_input_handle_from_uuid) < set(door.elements)
        for seed in range(20):
            door.play(tuple(VIEWER.draw(random.Random(seed), False)))
        assert door.fault() == ""
        assert gui._current_file_upload_states == {}
        # A browser with the token uses the panel, and is no stranger.
        follow = viewer._page._follow
        use = {"type": "GuiUpdateMessage", "uuid": follow._impl.uuid, "updates": {"value": "ball"}}
        door.play((["page", 0], ["read", 0, 0.1], ["packed", 0, use], ["close", 0]))
        until(lambda: follow.value == "ball")
    server.close()


def test_browsers_use_the_panel_click_drag_press_keys_set_attributes_and_upload():
    steps = [step for seed in range(300) for step in VIEWER.draw(random.Random(seed), False)]
    values = [step[2] for step in steps if step[0] == "packed" and isinstance(step[2], dict)]
    uses = [value.get("updates", ()) for value in values if str(value.get("uuid")).startswith("element ")]
    assert {"value", "props"} <= {name for updates in uses for name in updates}
    drawn = {value["type"] for value in values}
    assert {"SceneNodeClickMessage", "TransformControlsUpdateMessage", "CommandTriggerMessage"} <= drawn
    assert any(step[0] == "page" for step in steps)
    uploads = {value["type"] for value in values if str(value.get("source_component_uuid")).startswith("element ")}
    assert uploads == {"FileTransferStartUpload", "FileTransferPart"}
