"""The camera process beside a made-up simulator: the right pictures, the right stamps, and no others."""

import json
import signal
from itertools import count
from typing import Any

import numpy as np
import pytest
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from sensor_msgs.msg import CameraInfo, CompressedImage, Image, PointCloud2
from std_msgs.msg import String

from simspark_ros.configuration.errors import shown
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.ros.topics.world.scene_poses import ROBOTS_QOS
from test.rigs.cameras import Peer, Start, end, message
from test.rigs.opencv import cv2


def test_a_picture_carries_the_stamp_of_its_state(peer: Peer, start_camera: Start) -> None:
    # Sent once, before the camera process exists.
    peer.scene.publish(message("left_1", "left_2"))
    images = peer.collect(Image, "/left_1/camera/image_raw")
    infos = peer.collect(CameraInfo, "/left_1/camera/camera_info")
    process = start_camera("width:=64", "height:=48", "horizontal_fov:=90.0")
    peer.wait(peer.poses.get_subscription_count)
    peer.wait(lambda: images and infos, lambda: peer.poses.publish(message("left_1", "left_2", seconds=7)))
    image, info = images[0], infos[0]
    assert (image.width, image.height, image.encoding, image.step) == (64, 48, "rgb8", 192)
    assert len(image.data) == 64 * 48 * 3
    assert (image.header.stamp.sec, image.header.stamp.nanosec) == (7, 20_000_000)
    assert image.header == info.header
    assert image.header.frame_id == "camera_optical"
    assert (info.width, info.height, info.distortion_model, list(info.d)) == (64, 48, "plumb_bob", [0.0] * 5)
    # tan(45 degrees) = 1: the focal length is half the width.
    np.testing.assert_allclose(info.k, [32, 0, 31.5, 0, 32, 23.5, 0, 0, 1])
    np.testing.assert_allclose(info.p, [32, 0, 31.5, 0, 0, 32, 23.5, 0, 0, 0, 1, 0])
    # The state is the same: within one period of simulated time there is one picture.
    assert len(images) == 1
    end(process)


def test_depth_segmentation_points_and_files_are_of_one_state(peer: Peer, start_camera: Start) -> None:
    robot = load_robot("nao_sensors")
    scene = message("left_1")
    scene.models, scene.link_counts = ["nao_sensors"], [len(robot.model.links)]
    base = "/left_1/camera_depth"
    peer.scene.publish(scene)
    kinds = {"depth/image_raw": Image, "depth/points": PointCloud2, "depth/camera_info": CameraInfo}
    compressed = peer.collect(CompressedImage, f"{base}/depth/image_raw/compressedDepth")
    kinds |= {"segmentation/image_raw": Image, "image_raw/compressed": CompressedImage, "image_raw": Image}
    heard = {name: peer.collect(kind, f"{base}/{name}") for name, kind in kinds.items()}
    names: list[Any] = []
    peer.node.create_subscription(String, f"{base}/segmentation/labels", names.append, ROBOTS_QOS)
    process = start_camera("compressed_format:=png", "tf:=global")
    peer.wait(peer.poses.get_subscription_count)
    seconds = count(5)

    def send() -> None:
        scene.header.stamp.sec = next(seconds)
        peer.poses.publish(scene)

    peer.wait(lambda: names and compressed and all(heard.values()), send)
    assert compressed[0].format == "32FC1; compressedDepth png"
    assert "/left_1/camera_bottom/depth/image_raw" not in peer.topics()
    end(process)
    depth, cloud, info, labels, file, picture = (heard[name][-1] for name in kinds)
    assert depth.header.frame_id == cloud.header.frame_id == info.header.frame_id == "left_1/camera_depth_optical"
    assert (depth.encoding, depth.step, labels.encoding, labels.step) == ("32FC1", 640, "16UC1", 320)
    by_stamp = {(m.header.stamp.sec, name): m for name, messages in heard.items() for m in messages}
    stamp = max(sec for sec, name in by_stamp if all((sec, other) in by_stamp for other in kinds))
    depth, cloud, info, labels, file, picture = (by_stamp[stamp, name] for name in kinds)
    distances = np.frombuffer(depth.data, np.float32).reshape(120, 160)
    points = np.frombuffer(cloud.data, np.float32).reshape(120, 160, 4)
    measured = np.isfinite(distances)
    assert measured.any() and not measured.all()
    np.testing.assert_array_equal(points[..., 2], distances)
    # The pixel of a point is where the matrix of camera_info projects it.
    projected = points[measured][:, :3] @ np.array(info.k).reshape(3, 3).T
    rows, columns = np.nonzero(measured)
    np.testing.assert_allclose(projected[:, :2] / projected[:, 2:], np.stack((columns, rows), 1), atol=1e-3)
    assert file.format == "rgb8; png compressed bgr8"
    read = cv2.imdecode(np.frombuffer(file.data, np.uint8), cv2.IMREAD_COLOR)
    assert read is not None
    np.testing.assert_array_equal(read[:, :, ::-1].reshape(-1), np.frombuffer(picture.data, np.uint8))
    label_names = json.loads(names[-1].data)
    assert label_names["3"] == "ball" and "left_1" in label_names.values()
    shown = {label_names[str(label)] for label in np.unique(np.frombuffer(labels.data, np.uint16)).tolist()}
    assert "ground" in shown


def test_nothing_is_sent_to_a_camera_without_subscribers(peer: Peer, start_camera: Start) -> None:
    peer.scene.publish(message("left_1", "/", "/a/b/"))
    process = start_camera()

    # A robot in the root namespace has its camera there.
    wanted = {"/left_1/camera/image_raw", "/left_1/camera/camera_info", "/camera/image_raw", "/a/b/camera/camera_info"}
    peer.wait(lambda: wanted <= peer.topics())
    assert peer.poses.get_subscription_count() == 0
    images: list[Any] = []
    subscription = peer.node.create_subscription(Image, "/left_1/camera/image_raw", images.append, 5)
    peer.wait(peer.poses.get_subscription_count)
    peer.node.destroy_subscription(subscription)
    peer.wait(lambda: peer.poses.get_subscription_count() == 0)
    # Robots come and go.
    peer.scene.publish(message("right_1"))
    peer.wait(lambda: "/right_1/camera/image_raw" in peer.topics() and "/left_1/camera/image_raw" not in peer.topics())
    assert "no pictures" not in end(process, signal.SIGINT)


def test_slow_drawing_leaves_states_out_and_cameras_take_turns(peer: Peer, start_camera: Start) -> None:
    names = ("left_1", "left_2")
    peer.scene.publish(message(*names))
    images = [peer.collect(Image, f"/{name}/camera/image_raw") for name in names]
    # With all links around the camera a picture takes several times as long as the next state.
    process = start_camera("width:=480", "height:=360", "renderer:=software")
    peer.wait(peer.poses.get_subscription_count)
    sent = 0

    def send() -> None:
        nonlocal sent
        sent += 1
        peer.poses.publish(message(*names, seconds=sent))

    peer.wait(lambda: min(map(len, images)) >= 4, send, every=0.02)
    end(process)
    stamps = [[image.header.stamp.sec for image in of_one] for of_one in images]
    for of_one in stamps:
        assert of_one == sorted(set(of_one)), "never twice the same state, never an older one"
        assert of_one[3] - of_one[0] > 3, "states were left out"
    assert not set(stamps[0]) & set(stamps[1]), "each picture is of the newest state at its time"


def test_bad_messages_and_names_are_reported_and_do_no_harm(peer: Peer, start_camera: Start) -> None:
    bad = message("left_1")
    bad.positions = bad.positions[:-1]
    not_finite = message("left_1")
    not_finite.positions[0] = float("nan")
    impossible = ("1 2", "{x}", "n" * 240)
    mixed = message(*impossible, "unknown", "left_1", seconds=3)
    mixed.models = ["nao", "nao", "nao", "tank", "nao"]
    peer.scene.publish(mixed)
    images = peer.collect(Image, "/left_1/camera/image_raw")
    process = start_camera("width:=32", "height:=24")
    peer.wait(peer.poses.get_subscription_count)
    for one in (bad, not_finite, bad):
        peer.poses.publish(one)
    peer.models.publish(String(data="{"))
    peer.wait(lambda: images, lambda: (peer.poses.publish(not_finite), peer.poses.publish(mixed)))
    assert images[0].header.stamp.sec == 3
    peer.wait(lambda: peer.poses.get_subscription_count(), lambda: peer.poses.publish(bad))
    # It takes robots that come later, too.
    peer.scene.publish(message(*impossible, "left_1", "right_1"))
    peer.wait(lambda: "/right_1/camera/image_raw" in peer.topics())
    output = end(process)
    assert "robots 'tank' are not drawn" in output
    for name in impossible:
        assert f"no pictures of camera 'camera' of robot {shown(name)}" in output
    assert "a malformed message about the looks of robots is ignored" in output


def test_opengl_draws_on_request_where_it_can(peer: Peer, start_camera: Start) -> None:
    peer.scene.publish(message("left_1"))
    images = peer.collect(Image, "/left_1/camera/image_raw")
    process = start_camera("width:=32", "height:=24", "renderer:=egl")
    peer.wait(lambda: images, lambda: peer.poses.publish(message("left_1")))
    output = end(process)
    assert "pictures are drawn by OpenGL (" in output or "pictures are drawn by PyBullet's software: " in output


def test_parameters_change_while_it_runs(peer: Peer, start_camera: Start) -> None:
    peer.scene.publish(message("left_1"))
    images = peer.collect(Image, "/left_1/camera/image_raw")
    process = start_camera("width:=32", "height:=24")

    def set_parameter(name: str, value: object) -> Any:
        request = SetParameters.Request(parameters=[Parameter(name, value=value).to_parameter_msg()])
        return peer.call(SetParameters, "/simspark_camera/set_parameters", request).results[0]

    for name, value in (("width", 5000), ("rate", -1.0), ("horizontal_fov", 0.5), ("shadows", False)):
        answer = set_parameter(name, value)
        assert not answer.successful
        assert name in answer.reason
    assert set_parameter("width", 48).successful
    # Of one time there is one picture, which may be sent before it is listened to.
    seconds = count(1)
    peer.wait(lambda: images, lambda: peer.poses.publish(message("left_1", seconds=next(seconds))))
    assert (images[0].width, images[0].height) == (48, 24)
    end(process)


@pytest.mark.parametrize("parameter", ["width:=5000", "world:=/no/such.yaml", "height:=tall"])
def test_a_bad_parameter_ends_it_with_its_name(parameter: str, start_camera: Start) -> None:
    process = start_camera(parameter)
    assert process.wait() == 2
    output = process.output
    assert output.splitlines()[-1].startswith("camera: ")
    assert parameter.partition(":")[0] in output or "such.yaml" in output
    assert "Traceback" not in output
