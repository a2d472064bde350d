"""The address of the attacked server, which must be on this machine unless the user allows another."""

from __future__ import annotations

import ipaddress
import socket

from simspark_ros.configuration.schema import ConfigurationError


def target_address(host: str, allow_remote: bool) -> str:
    """Return the IP address of a host. All connections use this address, since the name may later mean another host.

    Raises:
        ConfigurationError: there is no such host, or it is another machine and `allow_remote` is false.
    """
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise ConfigurationError(f"there is no host '{host}': {error}") from None
    addresses = [str(entry[4][0]) for entry in found]
    local = [address for address in addresses if ipaddress.ip_address(address.partition("%")[0]).is_loopback]
    if local:
        return local[0]
    if not allow_remote:
        raise ConfigurationError(
            f"{host} ({addresses[0]}) is not this machine, and these attacks may stop a server and burden a network; "
            "if it is your machine and you want this, add --allow-remote"
        )
    return addresses[0]
