"""The start of ROS 2, and the networks that it is open to.

By default a ROS 2 process listens on all networks of its machine, and anybody there could end a game by services. So
the processes of this package stay on the loopback unless their environment asks for more. A discovery range of
LOCALHOST is not enough: it hides the process from others, but Fast DDS still opens UDP sockets on all networks.

On other networks they send long messages in pieces that fit into packets, unless the environment says how to send.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, MutableMapping, Sequence
from importlib.metadata import version

import rclpy
from rclpy.signals import SignalHandlerOptions

from simspark_ros.configuration.errors import in_a_line
from simspark_ros.configuration.resources import resource
from simspark_ros.configuration.schema import ConfigurationError

ENABLE, STRATEGY, ENFORCE = "ROS_SECURITY_ENABLE", "ROS_SECURITY_STRATEGY", "Enforce"
"""Variables of the environment, and the strategy by which nothing without keys may start."""


def check_security(environment: Mapping[str, str]) -> None:
    """Check, once rclpy is initialised, that nodes have the security that the environment wants; warn if it is little.

    Raises:
        ConfigurationError: they cannot.
    """
    if environment.get(ENABLE) != "true":
        return
    if environment.get(STRATEGY) != ENFORCE:
        logging.getLogger("simspark").warning(
            "%s is set without %s=%s: nodes that have no keys run without security", ENABLE, STRATEGY, ENFORCE
        )
    try:
        rclpy.create_node("simspark_security", enable_rosout=False, start_parameter_services=False).destroy_node()
    except Exception as error:
        raise ConfigurationError(f"{ENABLE} is true, but ROS cannot make a node: {in_a_line(str(error))}") from None


RANGE = "ROS_AUTOMATIC_DISCOVERY_RANGE"
DOMAIN, LAST_DOMAIN = "ROS_DOMAIN_ID", 232
"""DDS gives each domain 250 ports, from 7400 on."""
LOCALHOST, SUBNET = "LOCALHOST", "SUBNET"
"""Values of `RANGE`."""

# Variables that name the settings of Fast DDS 3, of Kilted and later, and of Fast DDS 2.
_PROFILES = ("FASTDDS_DEFAULT_PROFILES_FILE", "FASTRTPS_DEFAULT_PROFILES_FILE")
_FIRST_WITH_FAST_DDS_3 = 9
# Variables that name other machines to talk to, or the way to do it.
_CHOSEN = (*_PROFILES, "ROS_STATIC_PEERS", "ROS_DISCOVERY_SERVER")
_OPEN = (SUBNET, "SYSTEM_DEFAULT")
_TRANSPORTS = "FASTDDS_BUILTIN_TRANSPORTS"


def profiles_variable() -> str:
    """The variable that names the settings of the installed Fast DDS; version 3 would warn of the older name."""
    return _PROFILES[int(version("rclpy").partition(".")[0]) < _FIRST_WITH_FAST_DDS_3]


def profiles(name: str) -> str:
    """The file of that name with settings for the installed Fast DDS, some of which had other names in version 2."""
    version_2 = ("fast_dds_2",) if profiles_variable() == _PROFILES[1] else ()
    return str(resource("config", "ros", *version_2, name))


def start_ros(words: Sequence[str]) -> None:
    """Start ROS in this process, which handles signals itself, on the networks that its environment says.

    Raises:
        ConfigurationError: wrong arguments, a wrong domain, or missing security.
    """
    check_domain(os.environ)
    choose_network("auto")
    try:
        rclpy.init(args=list(words), signal_handler_options=SignalHandlerOptions.NO)
    # rclpy has several.
    except Exception as error:
        raise ConfigurationError(f"wrong ROS arguments: {error}") from None
    try:
        check_security(os.environ)
    except ConfigurationError:
        rclpy.shutdown()
        raise


def check_domain(environment: Mapping[str, str]) -> None:
    """Check the ROS domain: ROS takes a wrong number for another one, or fails within DDS.

    Raises:
        ConfigurationError: it is no whole number, or its ports would lie above 65535.
    """
    domain = environment.get(DOMAIN, "").strip()
    if domain and not (domain.isdecimal() and int(domain) <= LAST_DOMAIN):
        raise ConfigurationError(
            f"{DOMAIN}={in_a_line(domain)}: the domain must be a whole number from 0 to {LAST_DOMAIN}; choose one, "
            "preferably up to 101 (the system may give the ports of higher ones to other programs), or unset it"
        )


def choose_network(network: str, environment: MutableMapping[str, str] = os.environ) -> bool:
    """Choose the networks of this process and its children; returns whether these are the loopback only.

    network: loopback, all, or auto: as the environment says, and the loopback if it says nothing.
    """
    own = profiles("loopback.xml")
    if network == "all":
        environment[RANGE] = SUBNET
        for name in _PROFILES:
            if environment.get(name) == own:
                del environment[name]
        _send_in_pieces(environment)
        return False
    confined = any(environment.get(name) == own for name in _PROFILES)
    opened = environment.get(RANGE) in _OPEN or any(environment.get(name) for name in _CHOSEN)
    if network == "auto" and not confined and opened:
        _send_in_pieces(environment)
        return False
    if not _is_fast_dds():
        environment[RANGE] = LOCALHOST
        return True
    environment[profiles_variable()] = own
    older = environment.pop("ROS_LOCALHOST_ONLY", "")
    if older or environment.get(RANGE) == LOCALHOST:
        # With these the ROS layer of Fast DDS opens further sockets beside the profile's, on all networks.
        environment[RANGE] = SUBNET
    return True


def _send_in_pieces(environment: MutableMapping[str, str]) -> None:
    if _is_fast_dds() and not any(environment.get(name) for name in (*_CHOSEN, _TRANSPORTS)):
        environment[profiles_variable()] = profiles("network.xml")


def _is_fast_dds() -> bool:
    return "fastrtps" in rclpy.get_rmw_implementation_identifier()
