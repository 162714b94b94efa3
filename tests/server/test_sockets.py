"""Answers go out at once: connections to the server do not wait for acknowledgements."""

import asyncio
import socket
from collections.abc import Iterator

import pytest
import streamlit as st

from playground.server import sockets
from playground.ui.housekeeping import keep_house


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """A socket as Streamlit makes one: asyncio does not see that it is TCP."""
    with socket.socket(family=socket.AF_INET) as listener:
        listener.bind(("localhost", 0))
        listener.listen()
        yield listener


def delays(listener: socket.socket) -> bool:
    """Whether a new connection holds small packets back."""
    with socket.create_connection(listener.getsockname()), listener.accept()[0] as accepted:
        return accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 0


def test_connections_to_come_send_at_once(listener: socket.socket) -> None:
    assert delays(listener)
    n_listening = sockets.send_at_once()
    assert n_listening >= 1
    assert not delays(listener)
    with socket.socket(), socket.socketpair()[0], socket.socket(type=socket.SOCK_DGRAM):
        assert sockets.send_at_once() == n_listening, "what does not listen is left alone"


def test_the_server_does_so_when_it_starts(listener: socket.socket) -> None:
    async def live() -> None:
        async with keep_house(st.App(__file__)):
            assert not delays(listener)

    asyncio.run(live())


def test_a_system_that_does_not_list_descriptors_is_left_alone(
    listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sockets, "_DESCRIPTORS", "/nowhere")
    assert sockets.send_at_once() == 0
    assert delays(listener)
