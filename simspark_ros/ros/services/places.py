"""The services of poses that have names."""

from __future__ import annotations

from typing import Any

from simspark_ros.msg import Result
from simspark_ros.ros.services.messages import set_box, set_pose, tag_filter
from simspark_ros.ros.services.offer import StandardOffer
from simspark_ros.ros.services.server import RequestError
from simspark_ros.simulation.entities.named_poses import NamedPose, named_poses
from simspark_ros.simulation.loop import Simulation


class PlaceServices:
    """`get_named_poses`, `get_named_pose_bounds`."""

    def __init__(self, offer: StandardOffer, simulation: Simulation) -> None:
        self._offer, self._simulation = offer, simulation
        offer.work("get_named_poses", self._get)
        offer.work("get_named_pose_bounds", self._get_bounds)

    def _get(self, request: Any, response: Any) -> None:
        chosen = tag_filter(request.tags)
        poses = [place for place in named_poses(self._simulation.world) if chosen.selects(place.tags)]
        response.poses = [self._message(place) for place in poses]

    def _message(self, place: NamedPose) -> Any:
        message = self._offer.message("NamedPose")
        message.name, message.description, message.tags = place.name, place.description, list(place.tags)
        set_pose(message.pose, place.pose)
        return message

    def _get_bounds(self, request: Any, response: Any) -> None:
        place = next((place for place in named_poses(self._simulation.world) if place.name == request.name), None)
        if place is None:
            text = f"there is no named pose '{request.name[:80]}'; see get_named_poses"
            raise RequestError(Result.RESULT_NOT_FOUND, text)
        set_box(response.bounds, place.bounds)
