"""The server's listening sockets send small answers without delay."""

import os
import socket

import pytest

from playground.server.sockets import disable_nagle


@pytest.mark.skipif(not os.path.isdir("/dev/fd"), reason="the system does not list descriptors")
def test_a_listening_socket_and_its_connections_do_not_wait_to_fill_packets():
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.socket() as silent:
        assert disable_nagle() >= 1
        assert not silent.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        with socket.create_connection(listener.getsockname()), listener.accept()[0] as connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
