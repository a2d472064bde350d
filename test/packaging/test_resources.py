from pathlib import Path

import pytest

import simspark_ros
from simspark_ros.configuration import resources
from simspark_ros.configuration.resources import resource


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The prefix of an installation like pip's or colcon's, which `resource` takes for its own."""
    module = tmp_path / "lib" / "python3.11" / "site-packages" / "simspark_ros" / "configuration" / "resources.py"
    (tmp_path / "share" / "simspark_ros" / "config").mkdir(parents=True)
    monkeypatch.setattr(resources, "__file__", str(module))
    monkeypatch.delenv("AMENT_PREFIX_PATH", raising=False)
    return tmp_path


def test_a_checkout_has_its_own_files() -> None:
    root = Path(simspark_ros.__file__).parents[1]
    assert resource("package.xml") == root / "package.xml"
    assert resource("msg", "Result.msg") == root / "msg" / "Result.msg" and resource() == root


def test_an_installation_has_them_below_share(installed: Path) -> None:
    assert resource("config") == installed / "share" / "simspark_ros" / "config"


def test_the_ament_index_is_asked_too(installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ament_index_python")
    other = tmp_path / "other"
    marker = other / "share" / "ament_index" / "resource_index" / "packages" / "simspark_ros"
    marker.parent.mkdir(parents=True)
    marker.touch()
    (other / "share" / "simspark_ros" / "urdf").mkdir(parents=True)
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(other))
    assert resource("urdf") == other / "share" / "simspark_ros" / "urdf"


def test_what_is_missing_is_named_with_all_places(installed: Path) -> None:
    with pytest.raises(FileNotFoundError, match=f"'config/none.yaml'.*{installed / 'share' / 'simspark_ros'}"):
        resource("config", "none.yaml")


def test_a_checkout_does_not_take_files_from_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "package.xml").touch()
    monkeypatch.setattr(resources, "__file__", str(tmp_path / "simspark_ros" / "configuration" / "resources.py"))
    with pytest.raises(FileNotFoundError, match=rf"looked in {tmp_path}$"):
        resource("config", "none.yaml")
