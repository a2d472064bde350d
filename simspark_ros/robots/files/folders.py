"""The files that a foreign robot's file may name: files of its package, and of folders set by the server's owner."""

from __future__ import annotations

from pathlib import Path

from simspark_ros.configuration.errors import shown
from simspark_ros.configuration.read_files import note_file
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.formats.adaptation.addresses import (
    MANIFESTS,
    MODEL_MANIFEST,
    SEARCH_PATHS,
    MeshAddresses,
    NoSuchFileError,
    configured_folders,
    folders_above,
    home_of,
)


class Folders:
    """The folders whose files a file may name: of its package or model, else its own; of models beside; configured."""

    def __init__(self, file: Path, package: Path | None = None) -> None:
        self.package = package or home_of(file, MANIFESTS)
        self._packages = MeshAddresses(file)
        self.configured = configured_folders()
        # Models beside the model whose names were met, whose files may name files of theirs; the folder above.
        self._models = set(folders_above(file))

    def find(self, name: str, base: Path, place: str) -> Path:
        """An existing file.

        Args:
            name: name in the file: a path, `file://`, `package://` or `model://`.
            base: folder where relative paths begin.
            place: place of the name, for messages.

        Raises:
            NoSuchFileError: the file would be allowed, but does not exist.
            RobotError: the file lies elsewhere.
        """
        if "\0" in name or len(name) > 1000:
            raise RobotError(f"{place}: {shown(name)} is not a file name")
        scheme, mark, rest = name.partition("://")
        if not mark:
            candidates = [folder / name for folder in (base, *self.configured)]
        elif scheme == "file":
            candidates = [base / rest]
        elif scheme == "package":
            try:
                return self._packages.find(name)
            except RobotError as error:
                raise type(error)(f"{place}: {error}") from None
        elif scheme == "model":
            # As in Gazebo's folders of models, a model's folder is named after the model.
            # Packages keep them in `models`.
            folders = [self.package.parent, *filter(Path.is_dir, [self.package / "models"]), *self.configured]
            candidates = [folder / rest for folder in folders]
            beside = self.package.parent / rest.partition("/")[0]
            if beside.name not in ("", "..") and (beside / MODEL_MANIFEST).is_file():
                self._models.add(beside)
        else:
            raise RobotError(
                f"{place}: {shown(name)}: {shown(scheme)}:// is not supported; use file://, package:// or model://"
            )
        return self._first(candidates, name, place)

    def _first(self, candidates: list[Path], name: str, place: str) -> Path:
        folders = (self.package, *self._models, *self.configured)
        allowed = [path.resolve() for path in candidates]
        allowed = [path for path in allowed if any(path.is_relative_to(one) for one in folders)]
        if not allowed:
            where = (
                f"neither in the model's folder, nor in the folder of a model beside it ({MODEL_MANIFEST}), nor in one "
                f"that {SEARCH_PATHS[0]} names"
            )
            raise RobotError(f"{place}: {shown(name)} lies {where}")
        found = next((path for path in allowed if note_file(path)), None)
        if found is None:
            raise NoSuchFileError(f"{place}: there is no file {shown(name)}")
        return found
