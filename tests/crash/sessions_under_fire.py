"""A writer that is killed at any moment, and what is asked of the session that it leaves behind."""

import os
import random
import signal
import struct
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from rejoinder.edge.sessions import Session

# How many times the loops run: `make crash` sets it to 10,000.
TIMES = int(os.environ.get("REJOINDER_CRASH", "200"))
_ACK = struct.Struct("<q")


def message(number: int, size: int) -> dict[str, Any]:
    return {"role": "user", "content": f"{number} " + "x" * size}


def write_for_ever(path: str, first: int, size: int, ack: int) -> None:
    """Append numbered rows, a summary now and then, and tell each number once it was acknowledged."""
    with Session.open(path, wait=60) as session:
        number = first
        while True:
            name = session.append(message(number, size))
            if number % 7 == 0:
                session.compact(f"summary {number}", [name])
            os.write(ack, _ACK.pack(number))
            number += 1


def killed(work: Callable[[int], None], after: float) -> list[int]:
    """Run `work` in a process of its own, kill it after a while, and give the numbers that it acknowledged."""
    take, ack = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(take)
        try:
            work(ack)
        finally:
            os._exit(1)
    os.close(ack)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with open(take, "rb") as told:
        data = told.read()
    return [number for (number,) in _ACK.iter_unpack(data[: len(data) // _ACK.size * _ACK.size])]


def numbers_in(path: str) -> list[int]:
    """The numbers of all messages of a session, in the order of its rows."""
    with Session.open(path, read_only=True) as session:
        said = [row["content"] for row in session.rows() if row["type"] == "message"]
    return [int(text.split(" ", 1)[0]) for text in said]


def lost_after_kills(folder: str, times: int, size: int, seed: int) -> tuple[int, int]:
    """After so many kills of writers: how many acknowledged rows are gone, and how many tails were torn."""
    rng = random.Random(seed)
    lost = torn = 0
    session = Session.create(f"s{seed}-{size}", folder=folder)
    session.close()
    acknowledged: list[int] = []
    number = 0
    for turn in range(times):
        if turn % 25 == 24:
            lost += len(set(acknowledged) - set(numbers_in(session.path)))
            session = Session.create(f"s{seed}-{size}-{turn}", folder=folder)
            session.close()
            acknowledged, number = [], 0
        writer = partial(write_for_ever, session.path, number, size)
        acks = killed(writer, rng.uniform(0.002, 0.02))
        acknowledged += acks
        number += len(acks) + 2
        torn += not ends_whole(session.path)
    return lost + len(set(acknowledged) - set(numbers_in(session.path))), torn


def ends_whole(path: str) -> bool:
    with open(path, "rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read() == b"\n"
