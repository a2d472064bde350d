"""The end of a connection has one name, however a client notices it."""

import socket
import struct

import pytest

from simspark_ros.clients.classic_client import ClassicClient, ConnectionLostError


@pytest.mark.parametrize("by", ["reading", "writing"])
@pytest.mark.parametrize("reset", [False, True])
def test_a_server_that_closes_the_connection_is_said_to_have_done_so(by, reset):
    with socket.create_server(("127.0.0.1", 0)) as server:
        host, port = server.getsockname()
        with ClassicClient(host, port) as client:
            connection, _ = server.accept()
            if reset:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()
            with pytest.raises(ConnectionLostError, match=rf"^{host}:{port} closed the connection$"):
                while True:
                    client.receive() if by == "reading" else client.send("(syn)")
