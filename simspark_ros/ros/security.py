"""ROS 2's own security (SROS2): never less of it than the environment asks for, without a word."""

from __future__ import annotations

import logging
from collections.abc import Mapping

import rclpy

from simspark_ros.configuration.errors import in_a_line
from simspark_ros.configuration.schema import ConfigurationError

ENABLE, STRATEGY, ENFORCE = "ROS_SECURITY_ENABLE", "ROS_SECURITY_STRATEGY", "Enforce"
"""Variables of the environment, and the strategy by which nothing without keys may start."""


def check_security(environment: Mapping[str, str]) -> None:
    """Check, once rclpy is initialised, that nodes can be made as the environment wants them; warn if it wants little.

    Raises:
        ConfigurationError: they cannot.
    """
    if environment.get(ENABLE) != "true":
        return
    if environment.get(STRATEGY) != ENFORCE:
        logging.getLogger("simspark").warning(
            "%s without %s=%s: nodes without keys are made without security", ENABLE, STRATEGY, ENFORCE
        )
    try:
        rclpy.create_node("simspark_security", enable_rosout=False, start_parameter_services=False).destroy_node()
    except Exception as error:
        raise ConfigurationError(f"{ENABLE} is true, and no node can be made: {in_a_line(str(error))}") from None
