from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.rendering.drawing.optics import CameraPose, Lens
from simspark_ros.rendering.ground import FLOOR, GRASS, LINE, LINE_LABEL, Ground, turf
from simspark_ros.soccer.settings import load_soccer_settings
from simspark_ros.worlds.settings import STRIPES, GroundSettings
from test.rendering.scenes import FIELD

X, Y = np.linspace(3.01, 6.99, 200, dtype=np.float64), np.linspace(0.01, 2.99, 150, dtype=np.float64)


def colours_below(ground: GroundSettings, x: float, y: float) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """Pixels of 1 cm that a camera sees which looks straight down from a metre above a place."""
    camera = CameraPose.look_at((x, y, 1.0), (x + 1e-6, y, 0.0))
    lens = Lens(60, 60, 2 * np.arctan(0.3))
    return Ground(FIELD, ground).colours(camera, lens).view(np.uint8).reshape(60, 60, 4)[:, :, :3]


def test_grass_varies_about_the_greens_of_the_stripes_and_is_the_same_each_time() -> None:
    plain = turf(STRIPES, X, Y, FIELD.length, 0.02)
    grass = turf(GroundSettings("grass"), X, Y, FIELD.length, 0.02)
    assert {tuple(colour) for colour in plain.reshape(-1, 3).astype(int).tolist()} == set(GRASS)
    # 30,000 texels average out, and so do some 40 patches of half a metre with 5 %, light and dry ones.
    assert np.abs(grass.mean((0, 1)) / plain.mean((0, 1)) - 1.0).max() < 0.05
    assert 0.05 < (grass / plain).std() < 0.2
    assert (turf(GroundSettings("grass"), X, Y, FIELD.length, 0.02) == grass).all()


def test_a_picture_from_the_folder_of_its_world_is_repeated_with_its_upper_edge_along_y(tmp_path: Path) -> None:
    red_over_blue = np.zeros((20, 20, 3), np.uint8)
    red_over_blue[:10, :, 0] = red_over_blue[10:, :, 2] = 200
    Image.fromarray(red_over_blue).save(tmp_path / "carpet.png")
    carpet = turf(GroundSettings(str(tmp_path / "carpet.png"), 0.4), X, Y, FIELD.length, 0.02)
    assert carpet.shape == (150, 200, 3)
    # A tile has 20 texels; rows go along y.
    for row, colour in ((0, (0, 0, 200)), (9, (0, 0, 200)), (10, (200, 0, 0)), (20, (0, 0, 200)), (130, (200, 0, 0))):
        assert (carpet[row] == colour).all(), row
    (tmp_path / "hall.yaml").write_text("based_on: spl\nground: {texture: carpet.png, tile: 0.5}\n", encoding="utf-8")
    ground = load_soccer_settings(tmp_path / "hall.yaml").things.ground
    assert ground == GroundSettings(str(tmp_path / "carpet.png"), 0.5)
    assert load_soccer_settings("spl").things.ground == STRIPES


def test_lines_are_on_top_of_a_texture() -> None:
    beside, on_line = colours_below(GroundSettings("grass"), 5.0, 3.0), colours_below(GroundSettings("grass"), 0.0, 5.0)
    assert beside.reshape(-1, 3).std(0).min() > 3.0
    is_line = np.abs(on_line.astype(int) - LINE).max(2) < 3
    # The middle line goes through the whole picture, which may be turned.
    assert is_line.any(axis=1).all() or is_line.any(axis=0).all()


@pytest.mark.parametrize(("height", "ahead"), [(0.5, 0.4), (0.5, 1.0), (0.25, 0.3)])
def test_lines_near_the_feet_have_sharp_edges_in_their_places(height: float, ahead: float) -> None:
    """A camera of a Nao looks across the side line."""
    line = FIELD.width / 2.0
    camera = CameraPose.look_at((5.1, line - ahead, height), (5.1, line, 0.0))
    lens = Lens(320, 240)
    red = Ground(FIELD).colours(camera, lens).view(np.uint8).reshape(240, 320, 4)[:, 160, 0].astype(float)
    share = (red - red.min()) / (LINE[0] - red.min())
    _, y, z = camera.rotation @ lens.rays().reshape(3, 240, 320)[:, :, 160]
    places = line - ahead + y * height / np.maximum(-z, 1e-3) - line
    # One bright band, and at each edge two pixels at most between grass and line.
    bright = share > 0.5
    rise, fall = np.flatnonzero(np.diff(bright.astype(int)))
    assert np.count_nonzero((share > 0.05) & (share < 0.95)) <= 4
    for row in (rise, fall):
        between = (0.5 - share[row]) / (share[row + 1] - share[row])
        pixel = places[row + 1] - places[row]
        # At a metre, where pixels are 10 mm long, a third of one, as perspective is not linear.
        assert abs(places[row] + between * pixel) == pytest.approx(0.025, abs=max(0.002, abs(pixel) / 3.0))
    assert ((Ground(FIELD).labels(camera, lens)[:, 160] == LINE_LABEL) == bright).mean() > 0.99


def test_the_ground_of_a_world_without_a_field_is_grey_or_has_a_texture_but_never_lines() -> None:
    bare = replace(FIELD, is_there=False)
    camera, lens = CameraPose.look_at((0.0, 0.0, 1.0), (1e-6, 0.0, 0.0)), Lens(60, 60, 2 * np.arctan(0.3))
    plain, grass = (
        Ground(bare, ground).colours(camera, lens).view(np.uint8).reshape(-1, 4)[:, :3]
        for ground in (STRIPES, GroundSettings("grass"))
    )
    assert (plain == FLOOR).all()
    assert grass.std(0).min() > 3.0 and grass[:, 1].max() < LINE[1] - 20


@pytest.mark.parametrize("content", [None, b"no picture", b"\x89PNG\r\n\x1a\n cut off"])
def test_a_texture_that_cannot_be_read_is_refused_by_name(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "carpet.png"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigurationError, match=r"ground: texture: .* is not a readable picture"):
        Ground(FIELD, GroundSettings(str(path)))
