"""Processed models are kept, and used only if they are whole and what they were made from has not changed."""

from pathlib import Path

import pytest

from simspark_ros.configuration.resources import resource
from simspark_ros.robots.files import imported
from simspark_ros.robots.formats.xacro import kept_models
from simspark_ros.robots.formats.xacro.file import process_xacro
from simspark_ros.robots.formats.xacro.kept_models import kept_model, state_of


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where texts are kept."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "simspark_ros"


MODEL = """<robot name="own$(arg type)" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:arg name="type" default="0"/><xacro:include filename="parts/leg.xacro"/>
<mass value="${xacro.load_yaml('../config/own.yaml').mass}"/></robot>"""
LEG = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><leg length="0.09"/></robot>'


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A model that reads files of another folder of its package."""
    files = {"package.xml": "", "config/own.yaml": "mass: 2", "urdf/parts/leg.xacro": LEG, "urdf/own.urdf.xacro": MODEL}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path / "urdf" / "own.urdf.xacro"


def kept(model: Path, variant: int = 0) -> str:
    return kept_model(model, variant, state_of((model.parent, model.parent.parent / "config")))


@pytest.fixture
def processed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Variants that were processed."""
    variants: list[int] = []

    def process(model: Path, variant: int) -> str:
        variants.append(variant)
        return process_xacro(model, variant)

    monkeypatch.setattr(kept_models, "process_xacro", process)
    return variants


def test_a_model_is_processed_once_for_each_variant(folder: Path, model: Path, processed: list[int]) -> None:
    texts = [kept(model, variant) for variant in (0, 4, 0, 4)]
    assert texts == [process_xacro(model, variant) for variant in (0, 4, 0, 4)]
    assert processed == [0, 4] and len(list(folder.iterdir())) == 2


@pytest.mark.parametrize(
    ("name", "old", "new"), [("urdf/parts/leg.xacro", "0.09", "0.1"), ("config/own.yaml", "mass: 2", "mass:  2")]
)
def test_a_change_of_a_file_is_seen(
    folder: Path, model: Path, processed: list[int], name: str, old: str, new: str
) -> None:
    before = kept(model)
    file = model.parent.parent / name
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
    after = kept(model)
    assert processed == [0, 0] and after == process_xacro(model, 0)
    assert (after != before) == (file.suffix == ".xacro")


@pytest.mark.parametrize("damage", [b"", b"no newline", b"\xff\xfe", None])
def test_a_damaged_text_is_not_used(folder: Path, model: Path, processed: list[int], damage: bytes | None) -> None:
    text = kept(model)
    (path,) = folder.iterdir()
    path.write_bytes(path.read_bytes()[:-10] if damage is None else damage)
    assert kept(model) == text
    assert processed == [0, 0]


def test_without_a_place_nothing_is_kept(folder: Path, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.parent.write_text("a file", encoding="utf-8")
    assert kept(model) == process_xacro(model, 0)
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", lambda: (_ for _ in ()).throw(RuntimeError("no home")))
    assert kept(model) == process_xacro(model, 0)


def test_a_file_that_cannot_be_read_hinders_no_model_that_is_not_made_from_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "dangling.xacro").symlink_to(tmp_path / "nothing")
    monkeypatch.setattr(imported, "_state_of_package", lambda: state_of((tmp_path,)))
    monkeypatch.setattr(imported, "process_xacro", lambda model, variant: f"{model.name} {variant}")
    read = imported._model_of_package.__wrapped__
    assert read(resource("urdf") / "nao.urdf.xacro", 4) == "nao.urdf.xacro 4"
