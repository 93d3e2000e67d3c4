"""How the words of a part are spelled for a dialect that has no free-text calls: as JSON, piece by piece."""

from __future__ import annotations

import json

from rejoinder.dialects.streams.moments import Opened


class Spelling:
    """The pieces of one part as they are written; a `custom` call's words become `{"input": "..."}` as they come."""

    __slots__ = ("_began", "_custom", "part")

    def __init__(self, part: Opened, *, takes_custom: bool = False) -> None:
        self.part = part
        self._custom = part.custom and not takes_custom
        self._began = False

    def piece(self, text: str) -> str:
        """One piece, as it is written."""
        front = '{"input": "' if self._custom and not self._began else ""
        self._began = True
        return front + json.dumps(text)[1:-1] if self._custom else text

    def rest(self) -> str:
        """What has to follow the last piece: the end of the JSON, or all of it where a call came without arguments."""
        if self._custom:
            return '"}' if self._began else '{"input": ""}'
        return "" if self._began or self.part.kind != "call" or self.part.custom else "{}"
