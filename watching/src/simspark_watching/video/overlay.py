"""Board, labels and banners, drawn over a picture."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from simspark_ros.rendering.drawing.bodies import TEAM_COLOURS
from simspark_ros.rendering.drawing.optics import CameraPose, Lens
from simspark_ros.rendering.renderer import Picture
from simspark_ros.soccer.teams import Side
from simspark_watching.broadcast.board import Board, TeamBoard
from simspark_watching.broadcast.labels import label_places, labelled
from simspark_watching.video.shots import Shot

_DARK, _WHITE, _PALE = (20, 24, 30), (255, 255, 255), (215, 220, 226)
_NEAREST = 0.3
"""Labels nearer to the camera are left out, m."""

_SCORERS = 4
"""Goals of a team that the board names, the last ones."""

Rgb = tuple[int, int, int]
Font = ImageFont.FreeTypeFont | ImageFont.ImageFont


def drawn_over(picture: Picture, shot: Shot, camera: CameraPose, lens: Lens, labels: bool) -> Picture:
    """The picture (height, width, 3) with what is written over it."""
    image = Image.fromarray(picture)
    draw = ImageDraw.Draw(image)
    unit = lens.height / 36.0
    if labels:
        _draw_labels(draw, shot, camera, lens, unit)
    if shot.board is not None:
        _draw_board(draw, shot.board, unit)
    if shot.banner:
        _draw_banner(draw, shot.banner, lens, unit)
    return np.asarray(image)


def _draw_labels(draw: ImageDraw.ImageDraw, shot: Shot, camera: CameraPose, lens: Lens, unit: float) -> None:
    shown = labelled(shot.objects)
    if not shown:
        return
    places = label_places(shot.bodies, shot.poses.positions)[[number for number, _ in shown]]
    seen = (places - camera.position) @ camera.rotation
    # The farthest first, so that near ones hide them.
    for index in np.argsort(-seen[:, 2]):
        right, down, ahead = seen[index].tolist()
        if ahead > _NEAREST:
            number, text = shown[index]
            x = lens.width / 2.0 + lens.focal_length * right / ahead
            y = lens.height / 2.0 + lens.focal_length * down / ahead
            _tag(draw, text, x, y, unit, _colour(shot.objects.robots[number].side))


def _tag(draw: ImageDraw.ImageDraw, text: str, x: float, y: float, unit: float, colour: Rgb) -> None:
    font = _font(round(unit))
    half = max(draw.textlength(text, font) / 2.0 + 0.3 * unit, 0.6 * unit)
    draw.rounded_rectangle((x - half, y - 0.6 * unit, x + half, y + 0.6 * unit), 0.3 * unit, colour)
    draw.text((x, y), text, _WHITE, font, anchor="mm")


def _draw_board(draw: ImageDraw.ImageDraw, board: Board, unit: float) -> None:
    """Clock, then names around the score, in the upper left corner; scorers and play mode below."""
    font, small = _font(round(1.2 * unit)), _font(round(0.95 * unit))
    x, top, height = unit, unit, 2.0 * unit
    score = f"{board.left.score} : {board.right.score}"
    cells: list[tuple[str, Rgb, TeamBoard | None]] = [
        (board.clock, _DARK, None),
        (board.left.name, _colour(Side.LEFT), board.left),
        (score, _DARK, None),
        (board.right.name, _colour(Side.RIGHT), board.right),
    ]
    for text, colour, team in cells:
        width = draw.textlength(text, font) + 1.2 * unit
        draw.rectangle((x, top, x + width, top + height), colour)
        draw.text((x + width / 2.0, top + height / 2.0), text, _WHITE, font, anchor="mm")
        for row, scorer in enumerate(team.scorers[-_SCORERS:] if team else ()):
            _line(draw, scorer, x, top + height + 1.3 * row * unit, small, unit)
        x += width
    _line(draw, f"{board.half} · {board.mode}", x, top + 0.35 * unit, small, unit)


def _line(draw: ImageDraw.ImageDraw, text: str, x: float, y: float, font: Font, unit: float) -> None:
    """A small line on dark ground, by its upper left corner."""
    draw.rectangle((x, y, x + draw.textlength(text, font) + 0.8 * unit, y + 1.3 * unit), _DARK)
    draw.text((x + 0.4 * unit, y + 0.65 * unit), text, _PALE, font, anchor="lm")


def _draw_banner(draw: ImageDraw.ImageDraw, text: str, lens: Lens, unit: float) -> None:
    font = _font(round(1.8 * unit))
    half, middle = draw.textlength(text, font) / 2.0 + 1.2 * unit, lens.height - 3.5 * unit
    x = lens.width / 2.0
    draw.rounded_rectangle((x - half, middle - 1.4 * unit, x + half, middle + 1.4 * unit), 0.5 * unit, _DARK)
    draw.text((x, middle), text, _WHITE, font, anchor="mm")


def _colour(side: Side | None) -> Rgb:
    red, green, blue = (round(255 * part) for part in TEAM_COLOURS[side][:3])
    return red, green, blue


@lru_cache(maxsize=8)
def _font(size: int) -> Font:
    return ImageFont.load_default(max(size, 6))
