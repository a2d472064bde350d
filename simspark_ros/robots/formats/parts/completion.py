"""Makes the URDF of a foreign format plain: meshes become convex hulls and surfaces, bodies without a mass get one."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

from simspark_ros.configuration.errors import shown
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.robots.files.format_table import MeshCollisions
from simspark_ros.robots.files.report import ImportReport
from simspark_ros.robots.formats.adaptation.adapt import needy_links
from simspark_ros.robots.formats.adaptation.addresses import MeshAddresses, NoSuchFileError
from simspark_ros.robots.formats.adaptation.inertias import Inertias
from simspark_ros.robots.formats.adaptation.notes import Notes
from simspark_ros.robots.formats.adaptation.solids import Solids
from simspark_ros.robots.formats.adaptation.visuals import Surfaces


def completed(
    urdf: str, file: Path, limits: LimitSettings, report: ImportReport, meshes: MeshCollisions = "hulls"
) -> str:
    """The document with solids and inertias that `import_urdf` takes.

    Args:
        urdf: document from a reader, which has found its meshes already.
        file: path of the robot's file, for messages; the URDF has other lines than the file.
        limits: limits on meshes.
        report: report that notes are added to.
        meshes: kind of solid that meshes collide as.

    Raises:
        RobotError: meshes cannot be read, or inertias are impossible.
    """
    root = ET.fromstring(urdf)
    notes = Notes(file.name, report)
    links = root.findall("link")
    found = _Found(file)
    surfaces = Surfaces(notes, found, limits, materials=True)
    Solids(notes, found, limits, meshes, surfaces).adapt_all(links)
    inertias = Inertias(notes, links)
    needy = needy_links(root, inertias)
    for link in links:
        inertias.adapt(link, link.get("name", "") in needy)
    return ET.tostring(root, encoding="unicode")


class _Found(MeshAddresses):
    """Addresses of files that the reader has found within their folders."""

    def find(self, address: str) -> Path:
        """The path of a file."""
        path = Path(address.removeprefix("file://"))
        if not path.is_file():
            raise NoSuchFileError(f"there is no file {shown(path.name)}")
        return path
