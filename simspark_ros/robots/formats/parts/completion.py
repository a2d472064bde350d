"""What the URDF of a foreign format needs to be plain: meshes as convex hulls, masses where there have to be some."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.robots.files.report import ImportReport
from simspark_ros.robots.files.robot_file import MeshCollisions
from simspark_ros.robots.formats.adaptation.adapt import needy_links
from simspark_ros.robots.formats.adaptation.addresses import MeshAddresses
from simspark_ros.robots.formats.adaptation.inertias import Inertias
from simspark_ros.robots.formats.adaptation.notes import Notes
from simspark_ros.robots.formats.adaptation.solids import Solids


def completed(
    urdf: str, file: Path, limits: LimitSettings, report: ImportReport, meshes: MeshCollisions = "hulls"
) -> str:
    """The document with solids and inertias that `import_urdf` takes.

    Args:
        urdf: as a reader has put it together; its meshes have been found already.
        file: of the robot, for messages; lines of the URDF are not those of the file.
        limits: on meshes.
        report: that notes are added to.
        meshes: what they collide as.

    Raises:
        RobotError: meshes cannot be read, or inertias are those of no body.
    """
    root = ET.fromstring(urdf)
    notes = Notes(file.name, report)
    links = root.findall("link")
    solids = Solids(notes, _Found(file), limits, meshes)
    for link in links:
        solids.adapt(link)
    inertias = Inertias(notes, links)
    needy = needy_links(root, {link.get("name", "") for link in links if inertias.mass(link) > 0.0})
    for link in links:
        inertias.adapt(link, link.get("name", "") in needy)
    return ET.tostring(root, encoding="unicode")


class _Found(MeshAddresses):
    """Addresses of files that the reader has found within their folders."""

    def find(self, address: str) -> Path:
        """The file."""
        return Path(address.removeprefix("file://"))
