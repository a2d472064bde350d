"""The camera process: draws the robots' pictures, so that the simulator never waits for one."""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from rcl_interfaces.msg import SetParametersResult
from rclpy.clock import Clock, ClockType
from rclpy.exceptions import ParameterException
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_msgs.msg import String

from simspark_ros.configuration.c_library import limit_blas_threads
from simspark_ros.configuration.errors import cut, shown
from simspark_ros.configuration.schema import ConfigurationError, declarations
from simspark_ros.msg import ScenePoses
from simspark_ros.perceptors.camera import MAX_FOV_DEG, MIN_FOV_DEG
from simspark_ros.rendering.drawing.drawer import ScenePose
from simspark_ros.rendering.drawing.opengl import chooses_opengl
from simspark_ros.rendering.rendered_scene import RenderedScene, SceneCamera
from simspark_ros.rendering.renderer import SceneRenderer
from simspark_ros.rendering.robot_cameras import CameraSettings
from simspark_ros.rendering.scene_models import SimulatedRobot, cameras_of_lines, models_of_lines
from simspark_ros.ros.camera.sharing import CameraShare
from simspark_ros.ros.camera.topics import CameraTopics
from simspark_ros.ros.conversions import seconds_of
from simspark_ros.ros.parameters.declared import answer, changed, check_before_set, declare, warn_of_unknown
from simspark_ros.ros.process import run_process, spin_until
from simspark_ros.ros.settings import CameraNodeParameters
from simspark_ros.ros.topics.world.scene_poses import (
    MODELS_TOPIC,
    NEWEST_QOS,
    POSES_TOPIC,
    ROBOTS_QOS,
    ROBOTS_TOPIC,
    WORLD_TOPIC,
    scene_of,
)
from simspark_ros.server.signals import Signals
from simspark_ros.soccer.settings import SoccerSettings, load_soccer_settings, world_of_text

SUBSCRIBER_CHECK = 0.1
"""Seconds of wall time between two checks for new subscribers."""

MAX_WARNINGS = 200
"""Warnings that are remembered, so that each is given once."""


class CameraNode(Node):
    """Node `simspark_camera`: draws the pictures of robots' cameras while their topics have subscribers.

    Publishes the topics of `CameraTopics` below `<robot>/<camera>`, with the stamp of the state that the picture shows,
    in the camera's optical frame (x right, y down, z forward); see docs/reference/sensors.md.

    Subscribes to `scene_world` for the world, to `scene` for the robots, to `scene_models` for their looks and cameras,
    and to `scene_poses` only while one of the topics above has subscribers. It reads no robot's file.
    Cameras take turns, and each picture shows the newest state: if drawing is slower than the rate, states are left
    out, and nothing queues up. Several such processes share the cameras (`CameraShare`). `CameraNodeParameters` are its
    parameters.

    Raises:
        ConfigurationError: a parameter or the world file is wrong; the message names it.
    """

    def __init__(self, parameters: Sequence[Parameter] = ()) -> None:
        super().__init__("simspark_camera", parameter_overrides=list(parameters))
        try:
            self._values = CameraNodeParameters(**declare(self, declarations(CameraNodeParameters)))
            if reason := _fov_refusal(self._values.horizontal_fov):
                raise ConfigurationError(reason)
            opengl, line = chooses_opengl(self._values.renderer)
            log = self.get_logger()
            (log.info if opengl or self._values.renderer != "egl" else log.warning)(line)
            renderer = self._renderer(load_soccer_settings(self._values.world or None))
        except (ConfigurationError, ParameterException) as error:
            self.destroy_node()
            raise ConfigurationError(str(error)) from None
        warn_of_unknown(self, declarations(CameraNodeParameters))
        check_before_set(self)
        self.add_on_set_parameters_callback(self._on_set)
        self._rendered_scene = RenderedScene(renderer, self._warn_once)
        self._topics: dict[tuple[str, str, str], CameraTopics] = {}
        self._refused: set[str] = set()
        self._poses: Any = None
        self._share = CameraShare(self)
        # Stamp of the state that is shown, none while there is no state, and the camera whose turn it is.
        self._stamp: Any = None
        self._next = 0
        self._work = self.create_guard_condition(self._draw_next)
        self.create_subscription(String, WORLD_TOPIC, self._on_world, ROBOTS_QOS)
        self.create_subscription(String, MODELS_TOPIC, self._on_models, ROBOTS_QOS)
        self.create_subscription(ScenePoses, ROBOTS_TOPIC, self._on_robots, ROBOTS_QOS)
        # Wall time, whatever simulated time does.
        self.create_timer(SUBSCRIBER_CHECK, self._check_subscribers, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def close(self) -> None:
        """Free everything."""
        self._share.close()
        self._rendered_scene.close()
        self.destroy_node()

    def settings_of(self, camera: SceneCamera) -> CameraSettings:
        """Settings of a camera's pictures: the robot's, unless a parameter says otherwise."""
        values, own = self._values, camera.camera.settings
        try:
            return replace(
                own,
                width=values.width or own.width,
                height=values.height or own.height,
                rate_hz=values.rate or own.rate_hz,
                horizontal_fov_deg=values.horizontal_fov or own.horizontal_fov_deg,
            )
        except ValueError as error:
            self._warn_once(f"camera '{camera.camera.name}' keeps its own size and field of view: {error}")
            return own

    def _renderer(self, soccer: SoccerSettings) -> SceneRenderer:
        of = self._values
        return SceneRenderer(soccer, shadows=of.shadows, body_shadows=of.body_shadows, renderer=of.renderer)

    def _on_set(self, parameters: list[Parameter]) -> SetParametersResult:
        new, reasons = changed(parameters, declarations(CameraNodeParameters))
        result = answer(self, (*reasons, _fov_refusal(new.get("horizontal_fov", 0.0))))
        if result.successful:
            self._values = replace(self._values, **new)
        return result

    def _check_subscribers(self) -> None:
        for key, topics in self._topics.items():
            topics.refresh(self._share.owns("/".join(key)))
        wanted = any(topics.wanted for topics in self._topics.values())
        if wanted and self._poses is None:
            self._poses = self.create_subscription(ScenePoses, POSES_TOPIC, self._on_poses, NEWEST_QOS)
        elif not wanted and self._poses is not None:
            self.destroy_subscription(self._poses)
            self._poses = None

    def _on_world(self, message: String) -> None:
        if not message.data:
            return
        try:
            renderer = self._renderer(world_of_text(message.data))
        except ConfigurationError as error:
            self._warn_once(f"a world that cannot be drawn is ignored: {error}")
            return
        self._rendered_scene.show_world(renderer)
        self._stamp = None
        self._follow_cameras()

    def _on_models(self, message: String) -> None:
        try:
            models, cameras = models_of_lines(message.data), cameras_of_lines(message.data)
        except ConfigurationError as error:
            self._warn_once(f"a malformed message about the looks of robots is ignored: {error}")
            return
        self._rendered_scene.learn(models, cameras)
        self._stamp = None
        self._follow_cameras()

    def _on_robots(self, message: ScenePoses) -> None:
        scene = self._scene(message)
        if scene is not None and self._follow(scene[0]):
            # The age of this state is unknown: pictures wait for the next one.
            self._stamp = None

    def _on_poses(self, message: ScenePoses) -> None:
        self._stamp = None
        scene = self._scene(message)
        if scene is None:
            return
        robots, pose = scene
        self._follow(robots)
        try:
            self._rendered_scene.place(pose)
        except ValueError as error:
            self._warn_once(f"poses that cannot be drawn are ignored: {error}")
            return
        self._stamp = message.header.stamp
        self._work.trigger()

    def _draw_next(self) -> None:
        """Draw one picture and schedule the next, so that a newer state can come in between."""
        cameras = self._rendered_scene.cameras
        if self._stamp is None:
            return
        for step in range(len(cameras)):
            number = (self._next + step) % len(cameras)
            if self._serve(cameras[number], self._stamp):
                self._next = number + 1
                self._work.trigger()
                return

    def _serve(self, camera: SceneCamera, stamp: Any) -> bool:
        """Publish the messages of a camera that are due and have subscribers; whether there were any."""
        topics = self._topics.get(_key(camera))
        if topics is None or not topics.wanted:
            return False
        settings = self.settings_of(camera)
        if not topics.is_due(seconds_of(stamp), settings.rate_hz):
            return False
        file = self._values.compressed_format, self._values.jpeg_quality
        look = partial(self._rendered_scene.view, camera, settings.lens, antialias=settings.antialias)
        try:
            topics.publish(stamp, settings, look, file)
        # The turn is over: other cameras must not wait for this one.
        except Exception as error:
            self._report("a picture is missing", camera, error)
        return True

    def _scene(self, message: ScenePoses) -> tuple[tuple[SimulatedRobot, ...], ScenePose] | None:
        try:
            return scene_of(message)
        except ValueError as error:
            self._warn_once(f"a malformed message about the scene is ignored: {error}")
            return None

    def _follow(self, robots: tuple[SimulatedRobot, ...]) -> bool:
        """Follow a change of the set of robots; whether there was one."""
        if not self._rendered_scene.follow(robots):
            return False
        self._follow_cameras()
        return True

    def _follow_cameras(self) -> None:
        """Create topics for new cameras, and destroy the topics of cameras that are gone."""
        cameras = {_key(camera): camera for camera in self._rendered_scene.cameras}
        for gone in [key for key, topics in self._topics.items() if not topics.serve(cameras.get(key))]:
            self._topics.pop(gone).destroy()
        for key, camera in cameras.items():
            if key not in self._topics:
                # Others choose names and types, so topics may fail: one robot must not be in another's way.
                try:
                    self._topics[key] = CameraTopics(self, camera, self._values.tf, self._values.seed)
                except Exception as error:
                    self._report("no pictures", camera, error)
        for topics in self._topics.values():
            topics.name_labels(self._rendered_scene.labels)

    def _report(self, what: str, camera: SceneCamera, error: Exception) -> None:
        names = f"{shown(camera.camera.name)} of robot {shown(camera.robot.name)}"
        problem = cut(str(error).splitlines()[0] if str(error) else "", 120)
        self._warn_once(f"{what} of camera {names}: {type(error).__name__}: {problem}")

    def _warn_once(self, text: str) -> None:
        if text in self._refused:
            return
        # Clients choose names: warned of too often is better than kept for ever.
        if len(self._refused) == MAX_WARNINGS:
            self._refused.clear()
        self._refused.add(text)
        self.get_logger().warning(text)


def _key(camera: SceneCamera) -> tuple[str, str, str]:
    return camera.robot.name, camera.camera.name, camera.camera.frame


def _fov_refusal(degrees: float) -> str:
    if degrees == 0.0 or MIN_FOV_DEG <= degrees <= MAX_FOV_DEG:
        return ""
    return f"parameter 'horizontal_fov' must be 0 or between {MIN_FOV_DEG:g} and {MAX_FOV_DEG:g} degrees"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the camera process until SIGINT or SIGTERM; returns the exit status, see `run_process`."""
    stop = threading.Event()
    Signals().on_signal(stop.set)

    def work() -> None:
        # More threads only wait for each other, and spin meanwhile.
        limit_blas_threads(1)
        node = CameraNode()
        node.get_logger().info("ready: pictures are drawn while their topics have subscribers")
        spin_until(stop, node)
        node.close()

    return run_process("camera", arguments, work)


if __name__ == "__main__":
    sys.exit(main())
