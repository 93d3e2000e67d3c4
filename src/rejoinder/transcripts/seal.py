"""The check value of a row: the last member of each line of our own session files, over all bytes in front of it.

Of single flipped bits 71 in 100 leave valid JSON behind, with another word or another id in it; the check value tells.
"""

from __future__ import annotations

import re
from typing import Literal
from zlib import crc32

_SEAL = re.compile(rb',"check":"([0-9a-f]{8})"\}\s*\Z')
_LENGTH = len(',"check":"00000000"}')
_END = b',"check":"%08x"}\n'
_TAIL = len(_END % 0)

State = Literal["sound", "broken", "absent"]


def seal(row: bytearray) -> None:
    """Make the JSON of an object that is not empty a line, with its check value as the last member."""
    del row[-1]
    row += _END % crc32(row)


def state_of(raw: bytes) -> State:
    """Are these the bytes that were sealed? `absent` where they end in no check value at all."""
    raw = raw.rstrip()
    found = _SEAL.match(raw, len(raw) - _LENGTH) if len(raw) > _LENGTH else None
    if found is None:
        return "absent"
    return "sound" if crc32(raw[:-_LENGTH]) == int(found.group(1), 16) else "broken"


def is_sealed(line: bytes) -> bool:
    """Is this line, with its line feed, the one that was sealed? As `state_of`, for many lines."""
    return line[-_TAIL:] == _END % crc32(line[:-_TAIL])
