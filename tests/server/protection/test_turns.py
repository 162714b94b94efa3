"""Turns are given in order, to so many at once, and never lost."""

import asyncio
from contextlib import asynccontextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.server.protection.turns import Turns
from playground.server.refusals import RefusedRequestError


def make(*, n_at_once=2, max_waiting=50, max_seconds=30.0):
    return Turns(n_at_once=n_at_once, max_waiting=max_waiting, max_seconds=max_seconds, whose="your address")


async def rest():
    """Let all others run until they wait."""
    for _ in range(20):
        await asyncio.sleep(0)


@asynccontextmanager
async def a_queue(turns, n_waiting):
    """One of "a" has its turn, and so many wait for theirs."""
    async with turns.turn("a"):
        waiting = [asyncio.create_task(turns.turn("a").__aenter__()) for _ in range(n_waiting)]
        await rest()
        yield waiting
        for task in waiting:
            task.cancel()


def test_so_many_at_once_and_the_first_first():
    turns, running, most, order = make(), set(), [], []

    async def work(number):
        async with turns.turn("a"):
            running.add(number)
            most.append(len(running))
            order.append(number)
            await rest()
            running.remove(number)

    async def all_of_them():
        await asyncio.gather(*map(work, range(30)))

    asyncio.run(all_of_them())
    assert max(most) == 2
    assert order == list(range(30))
    assert not turns._lines, "what nobody waits for is forgotten"


def test_another_key_does_not_wait():
    turns = make(n_at_once=1)

    async def others():
        async with a_queue(turns, 20) as waiting:
            assert not any(task.done() for task in waiting)
            async with asyncio.timeout(0), turns.turn("b"):
                pass

    asyncio.run(others())


def test_more_than_may_wait_are_refused():
    turns = make(n_at_once=1, max_waiting=3)

    async def crowd():
        async with a_queue(turns, 3):
            with pytest.raises(RefusedRequestError, match="3 requests of your address wait") as caught:
                await turns.turn("a").__aenter__()
            assert (caught.value.status, caught.value.headers) == (429, {"Retry-After": "1"})

    asyncio.run(crowd())


def test_a_wait_ends():
    turns = make(n_at_once=1, max_seconds=0.01)

    async def wait():
        async with turns.turn("a"):
            with pytest.raises(RefusedRequestError, match="busy") as caught:
                await turns.turn("a").__aenter__()
            assert (caught.value.status, caught.value.headers) == (503, {"Retry-After": "5"})
        async with turns.turn("a"):
            pass

    asyncio.run(wait())
    assert not turns._lines


@settings(max_examples=30)
@given(
    n_at_once=st.integers(1, 3),
    steps=st.lists(
        st.tuples(st.sampled_from(["come", "leave", "cancel", "leave and cancel"]), st.integers(0, 9))
    ),
)
def test_no_turn_is_lost_or_given_twice(n_at_once, steps):
    turns = make(n_at_once=n_at_once)
    inside: list[asyncio.Event] = []

    async def visitor(may_leave: asyncio.Event):
        async with turns.turn("a"):
            inside.append(may_leave)
            try:
                await may_leave.wait()
            finally:
                inside.remove(may_leave)

    async def play():
        visitors: list[tuple[asyncio.Task[None], asyncio.Event]] = []
        for step, number in steps:
            if step == "come":
                event = asyncio.Event()
                visitors.append((asyncio.create_task(visitor(event)), event))
            elif visitors:
                task, event = visitors[number % len(visitors)]
                if "leave" in step:
                    event.set()
                if step != "leave":
                    if step == "leave and cancel" and inside:
                        inside[0].set()
                        await asyncio.sleep(0)  # its turn is just being passed on
                    task.cancel()
            if number % 2:
                await rest()
            assert len(inside) <= n_at_once
        await rest()
        alive = [task for task, _ in visitors if not task.done()]
        assert len(inside) == min(n_at_once, len(alive)), "a turn is free and somebody waits"
        for _, event in visitors:
            event.set()
        await asyncio.gather(*(task for task, _ in visitors), return_exceptions=True)

    asyncio.run(play())
    assert not turns._lines
