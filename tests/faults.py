"""Random faults for intact histories: what crashes, cancels, trims, merges and bad servers leave behind.

A fault changes a history in place and says whether it found a place to do so. `broken` composes several on a copy.
Histories are read and made in `histories`; its public names are here too, so that a test needs this module only.
"""

import marshal
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

import bedrock_shape
from gemini_shape import as_contents, as_messages
from histories import (
    CHAT,
    DIALECTS,
    Message,
    Messages,
    assistant_texts,
    below,
    blocks,
    call_key,
    calls,
    chance,
    history,
    pick,
    result_key,
    results,
    texts_in,
    user_texts,
    write_text,
)

__all__ = ["DIALECTS", "FAULTS", "Message", "Messages", "assistant_texts", "broken", "history", "user_texts"]

_BLANKS = ("", "\n", "  ")
_SOME, _MOST = 0.3, 0.7


def fresh(value: Any) -> Any:
    """A deep copy of JSON data that shares nothing with the original (marshal 2 keeps no references, and is fast)."""
    return marshal.loads(marshal.dumps(value, 2))


@dataclass(slots=True)
class Scene:
    """A history while it is being broken; `serial` tells its faults apart."""

    rng: Random
    messages: Messages
    dialect: str
    serial: int = 0

    def message(self, wanted: Callable[[Message], Any]) -> int | None:
        """The index of one of the messages that are wanted."""
        places = [at for at, message in enumerate(self.messages) if wanted(message)]
        return pick(self.rng, places) if places else None

    def spot(self) -> int:
        """An index, mostly of a message with calls or results: there the order matters."""
        tools = self.message(lambda message: calls(message) or results(message)) if chance(self.rng, _MOST) else None
        return below(self.rng, len(self.messages)) if tools is None else tools

    def stray(self) -> Message:
        return write_text(self.dialect, "user", f"stray user text {self.serial}")

    def one(self, held: Callable[[Message], list[Message]]) -> tuple[Message, Message] | None:
        """A message and one of the blocks (calls, results, texts) that it holds."""
        at = self.message(held)
        return None if at is None else (self.messages[at], pick(self.rng, held(self.messages[at])))

    def remove(self, message: Message, block: Message) -> None:
        """Take out a call, a result or a text; by identity, since broken histories hold equal ones."""
        if block is message:
            self.messages[:] = [other for other in self.messages if other is not block]
        for key in ("tool_calls", "toolCalls", "content"):
            if isinstance(held := message.get(key), list):
                held[:] = [other for other in held if other is not block]
                if not held and key != "content":
                    del message[key]

    def place_behind(self, message: Message, block: Message, copy: Message) -> None:
        """Put a copy of a call or a result behind it."""
        for held in (self.messages, *(message.get(key) for key in ("tool_calls", "toolCalls", "content"))):
            if isinstance(held, list):
                at = next((at for at, other in enumerate(held) if other is block), None)
                if at is not None:
                    held.insert(at + 1, copy)


# --- Faults of whole messages -----------------------------------------------------------------------------------------


def drop_message(scene: Scene) -> bool:
    if len(scene.messages) > 1:
        del scene.messages[scene.spot()]
        return True
    return False


def duplicate_message(scene: Scene) -> bool:
    at = scene.spot()
    scene.messages.insert(at + 1, fresh(scene.messages[at]))
    return True


def swap_neighbours(scene: Scene) -> bool:
    at = scene.spot()
    if at + 1 == len(scene.messages):
        return False
    scene.messages[at : at + 2] = scene.messages[at + 1], scene.messages[at]
    return True


def move_message(scene: Scene) -> bool:
    message = scene.messages.pop(scene.spot())
    scene.messages.insert(below(scene.rng, len(scene.messages) + 1), message)
    return True


def cut_head(scene: Scene) -> bool:
    """A window that begins inside a run of results, or anywhere."""
    at = scene.message(results) if chance(scene.rng, _MOST) else None
    del scene.messages[: at or below(scene.rng, len(scene.messages))]
    return True


def cut_tail(scene: Scene) -> bool:
    """A crash behind a call, or anywhere."""
    at = scene.message(calls) if chance(scene.rng, _MOST) else None
    del scene.messages[1 + (below(scene.rng, len(scene.messages)) if at is None else at) :]
    return True


def stray_user(scene: Scene) -> bool:
    """A user who speaks between a call and its result, or between two results."""
    at = scene.message(calls)
    if at is not None:
        scene.messages.insert(at + 1 + chance(scene.rng, _SOME), scene.stray())
    return at is not None


def empty_user(scene: Scene) -> bool:
    content = [] if scene.dialect != "app" and chance(scene.rng, _SOME) else pick(scene.rng, _BLANKS)
    at = below(scene.rng, len(scene.messages) + 1)
    scene.messages.insert(at, write_text(scene.dialect, "user", content))
    return True


# --- Faults inside a message ------------------------------------------------------------------------------------------


def _lose(scene: Scene, held: Callable[[Message], list[Message]]) -> bool:
    found = scene.one(held)
    if found is None or (found[0] is found[1] and len(scene.messages) == 1):
        return False
    scene.remove(*found)
    return True


def lose_call(scene: Scene) -> bool:
    return _lose(scene, calls)


def lose_result(scene: Scene) -> bool:
    return _lose(scene, results)


def lose_text(scene: Scene) -> bool:
    return _lose(scene, texts_in)


def blank_text(scene: Scene) -> bool:
    """What an assistant or a tool said becomes empty or white; a user's own text is left alone."""
    at = scene.message(lambda message: message.get("role") in ("assistant", "tool") and message.get("content"))
    if at is None:
        return False
    message = scene.messages[at]
    if isinstance(message["content"], str):
        message["content"] = pick(scene.rng, _BLANKS)
    elif texts_in(message):
        pick(scene.rng, texts_in(message))["text"] = pick(scene.rng, _BLANKS)
    else:
        message["content"] = []
    return True


def null_content(scene: Scene) -> bool:
    at = scene.message(lambda message: message.get("role") != "user" and message.get("content"))
    if at is not None:
        scene.messages[at]["content"] = None
    return at is not None


def empty_calls(scene: Scene) -> bool:
    key = {**dict.fromkeys(CHAT, "tool_calls"), "app": "toolCalls"}.get(scene.dialect)
    at = scene.message(lambda message: message.get("role") == "assistant")
    if key is None or at is None:
        return False
    scene.messages[at][key] = []
    return True


def duplicate_call(scene: Scene) -> bool:
    """The same id twice in one turn: the same call again, or another one."""
    found = scene.one(calls)
    if found:
        copy = fresh(found[1])
        if chance(scene.rng, _SOME):
            (copy.get("function") or copy)["name"] = "another_tool"
        scene.place_behind(*found, copy)
    return bool(found)


def duplicate_result(scene: Scene) -> bool:
    """The same answer twice, or another answer to a call that has one."""
    found = scene.one(results)
    if found:
        copy = fresh(found[1])
        if chance(scene.rng, _SOME):
            copy["content"] = "another result"
        scene.place_behind(*found, copy)
    return bool(found)


def reverse_mixed(scene: Scene) -> bool:
    """A user turn whose text stands in front of the results."""
    at = scene.message(lambda message: message.get("role") == "user" and results(message) and texts_in(message))
    if at is not None:
        blocks(scene.messages[at]).reverse()
    return at is not None


def change_id(scene: Scene) -> bool:
    """An id that changes on one side only."""
    held = pick(scene.rng, (calls, results))
    found = scene.one(held)
    if found:
        found[1][call_key(found[1]) if held is calls else result_key(found[1])] = f"changed_{scene.serial}"
    return bool(found)


def illegal_id(scene: Scene) -> bool:
    return _rename(scene, f"functions.f:{scene.serial}")


def overlong_id(scene: Scene) -> bool:
    return _rename(scene, f"call_{scene.serial}_" + "x" * 60)


def _rename(scene: Scene, name: str) -> bool:
    """Give a call and the next result with its id another id: whole as a pair, refused by some providers."""
    at = scene.message(calls)
    if at is None:
        return False
    call = pick(scene.rng, calls(scene.messages[at]))
    answers = (result for message in scene.messages[at + 1 :] for result in results(message))
    result = next((result for result in answers if result[result_key(result)] == call[call_key(call)]), None)
    if result:
        result[result_key(result)] = name
    call[call_key(call)] = name
    return True


FAULTS: dict[str, Callable[[Scene], bool]] = {
    fault.__name__: fault
    for fault in (
        drop_message,
        duplicate_message,
        swap_neighbours,
        move_message,
        cut_head,
        cut_tail,
        stray_user,
        empty_user,
        lose_call,
        lose_result,
        lose_text,
        blank_text,
        null_content,
        empty_calls,
        duplicate_call,
        duplicate_result,
        reverse_mixed,
        change_id,
        illegal_id,
        overlong_id,
    )
}
# What breaks pairs happens most, and a history with a broken pair is what most tests are about.
_OFTEN = (
    drop_message,
    swap_neighbours,
    move_message,
    cut_head,
    cut_tail,
    stray_user,
    lose_call,
    lose_result,
    change_id,
)
_DRAWN = tuple(FAULTS) + tuple(fault.__name__ for fault in _OFTEN)


def broken(rng: Random, messages: Messages, dialect: str, depth: int) -> tuple[Messages, list[str]]:
    """A copy of the history with one to `depth` faults in it, and their names in the order in which they happened."""
    if dialect == "gemini":
        damaged, names = broken(rng, as_messages(fresh(messages)), "anthropic", depth)
        return as_contents(damaged, signed=False), names
    if dialect == "bedrock":
        damaged, names = broken(rng, bedrock_shape.as_messages(fresh(messages)), "anthropic", depth)
        return bedrock_shape.as_converse(damaged), names
    scene = Scene(rng, fresh(messages), dialect)
    names: list[str] = []
    for scene.serial in range(1 + below(rng, depth)):
        first = below(rng, len(_DRAWN))
        # Where a fault finds no place the next one is tried; an empty user message finds a place anywhere.
        names.append(next(name for name in _DRAWN[first:] + _DRAWN[:first] if FAULTS[name](scene)))
    return scene.messages, names
