"""Long histories with one thing wrong, or nothing, many times over: what somebody's repair was quadratic on.

Each is a function of a dialect (`openai-chat` or `anthropic`) and of about how many messages, or parts of one, it has.
"""

from collections.abc import Callable
from typing import Any

from histories import Call, Message, Messages, write_call

History = Callable[[str, int], Messages]


def asks(dialect: str, *ids: str, text: str | None = None) -> Message:
    calls = [write_call(dialect, Call(call_id, "search", 1)) for call_id in ids]
    if dialect == "openai-chat":
        return {"role": "assistant", "content": text, "tool_calls": calls}
    return {"role": "assistant", "content": [*([{"type": "text", "text": text}] if text else []), *calls]}


def brings(dialect: str, *ids: str) -> Messages:
    if dialect == "openai-chat":
        return [{"role": "tool", "tool_call_id": call_id, "content": "found"} for call_id in ids]
    blocks = [{"type": "tool_result", "tool_use_id": call_id, "content": "found"} for call_id in ids]
    return [{"role": "user", "content": blocks}]


def says(role: str, text: str) -> Message:
    return {"role": role, "content": text}


def turn(dialect: str, name: str) -> Messages:
    """Four messages: a question, a call, its result, an answer."""
    question, answer = says("user", f"question {name}"), says("assistant", f"answer {name}")
    return [question, asks(dialect, name), *brings(dialect, name), answer]


def names(count: int, stem: str = "call_") -> list[str]:
    return [f"{stem}{number}" for number in range(count)]


def ended(messages: Messages) -> Messages:
    return [*messages, says("user", "and now?")]


def intact(dialect: str, size: int) -> Messages:
    return ended([message for name in names(size // 4) for message in turn(dialect, name)])


def one_defect(dialect: str, size: int) -> Messages:
    messages = intact(dialect, size)
    del messages[size // 8 * 4 + 2]
    return messages


def a_defect_in_fifty(dialect: str, size: int) -> Messages:
    messages = intact(dialect, size)
    for at in range(size // 48 * 48 - 46, 0, -48):
        del messages[at]
    return messages


def nothing_proven(dialect: str, size: int) -> Messages:
    """Intact, but of blocks that the quick pass does not look into."""
    image = {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}
    shown = {"type": "image_url", "image_url": "https://example.com/a.png"} if dialect == "openai-chat" else image
    pairs = ([says("assistant", f"{n}"), {"role": "user", "content": [shown]}] for n in range(size // 2))
    return [says("user", "look"), *(message for pair in pairs for message in pair)]


def dangling(dialect: str, size: int) -> Messages:
    return ended([asks(dialect, name) for name in names(size)])


def dangling_between_users(dialect: str, size: int) -> Messages:
    pairs = ([says("user", f"do {name}"), asks(dialect, name, text="yes")] for name in names(size // 2))
    return ended([message for pair in pairs for message in pair])


def results_at_the_end(dialect: str, size: int) -> Messages:
    asked = [message for name in names(size // 3) for message in (asks(dialect, name), says("user", f"well? {name}"))]
    return [says("user", "go"), *asked, *(result for name in names(size // 3) for result in brings(dialect, name))]


def results_reversed_at_the_end(dialect: str, size: int) -> Messages:
    messages = results_at_the_end(dialect, size)
    tail = len(messages) - size // 3
    return [*messages[:tail], *reversed(messages[tail:])]


def results_in_front(dialect: str, size: int) -> Messages:
    pairs = ((*brings(dialect, name), asks(dialect, name), says("user", "well?")) for name in names(size // 3))
    return [says("user", "go"), *(message for pair in pairs for message in pair)]


def one_turn_of_results(dialect: str, size: int) -> Messages:
    return [says("user", "go"), asks(dialect, *names(size)), *brings(dialect, *names(size)), says("user", "thanks")]


def parallel_calls_unanswered(dialect: str, size: int) -> Messages:
    return [says("user", "go"), asks(dialect, *names(size), text="many"), says("user", "well?")]


def results_behind_words(dialect: str, size: int) -> Messages:
    """All results of a turn stand behind the user's words, and have to come in front of them."""
    messages = [says("user", "go"), asks(dialect, *names(size)), says("user", "here:")]
    return [*messages, *brings(dialect, *names(size))]


def one_role(_dialect: str, size: int) -> Messages:
    return [says("user", f"text {number}") for number in range(size)]


def duplicate_results(dialect: str, size: int) -> Messages:
    return ended([says("user", "go"), asks(dialect, "call_1"), *brings(dialect, *["call_1"] * size)])


def duplicate_calls(dialect: str, size: int) -> Messages:
    return ended([says("user", "go"), asks(dialect, *["call_1"] * size), *brings(dialect, "call_1")])


def orphan_results(dialect: str, size: int) -> Messages:
    return ended([says("user", "go"), *(result for name in names(size) for result in brings(dialect, name))])


def one_id_everywhere(dialect: str, size: int) -> Messages:
    return ended([message for _ in range(size // 4) for message in turn(dialect, "call_0")])


def one_id_dangling(dialect: str, size: int) -> Messages:
    return ended([message for _ in range(size // 2) for message in (says("user", "go"), asks(dialect, "call_0"))])


def illegal_ids(dialect: str, size: int) -> Messages:
    stem = "functions.search:" if dialect == "anthropic" else "call_" + "x" * 60
    return ended([message for name in names(size // 4, stem) for message in turn(dialect, name)])


def blank_texts(dialect: str, size: int) -> Messages:
    blocks: list[Any] = [{"type": "text", "text": " "} for _ in range(size)]
    question = {"role": "user", "content": [*blocks, {"type": "text", "text": dialect}]}
    return ended([question, says("assistant", "x")])


def empty_messages(_dialect: str, size: int) -> Messages:
    return ended([says(("user", "assistant")[number % 2], "") for number in range(size)])


# --- For one reader only: the rest of what its rules look at ----------------------------------------------------------


def dangling_sealed(dialect: str, size: int) -> Messages:
    """Calls without results, each in a message with sealed thinking, all in one assistant turn."""
    thought = {"type": "thinking", "thinking": "t", "signature": "s"}
    calls = ({"role": "assistant", "content": [thought, *asks(dialect, name)["content"]]} for name in names(size))
    return ended([says("user", "go"), *calls])


def server_calls(_dialect: str, size: int) -> Messages:
    """Calls of a provider's own tool with ids that it did not mint, and their results."""
    blocks: list[Any] = []
    for name in names(size):
        blocks.append({"type": "server_tool_use", "id": name, "name": "web_search", "input": {}})
        blocks.append({"type": "web_search_tool_result", "tool_use_id": name, "content": []})
    return ended([says("user", "go"), {"role": "assistant", "content": [*blocks, {"type": "text", "text": "a"}]}])


def cache_marks(_dialect: str, size: int) -> Messages:
    marked = {"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}
    return ended([{"role": ("user", "assistant")[number % 2], "content": [marked]} for number in range(size)])


def error_images(dialect: str, size: int) -> Messages:
    """Error results that hold nothing but an image."""
    image = {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}
    (answers,) = brings(dialect, *names(size))
    for block in answers["content"]:
        block.update(is_error=True, content=[image])
    return ended([says("user", "go"), asks(dialect, *names(size)), answers])


def half_characters(dialect: str, size: int) -> Messages:
    """One result with many texts, each with half a character at its end."""
    return ended(within_a_result(dialect, [{"type": "text", "text": "a\ud83d"} for _ in range(size)]))


def images_in_a_result(dialect: str, size: int) -> Messages:
    shown = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
    return ended(within_a_result(dialect, [shown for _ in range(size)]))


def images_of_the_assistant(_dialect: str, size: int) -> Messages:
    shown = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
    return ended([{"role": "assistant", "content": [shown]} for _ in range(size)])


def within_a_result(dialect: str, blocks: list[Any]) -> Messages:
    messages = [says("user", "go"), asks(dialect, "call_1"), *brings(dialect, "call_1")]
    holder = messages[-1] if dialect == "openai-chat" else messages[-1]["content"][0]
    holder["content"] = blocks
    return messages


def nameless_results(dialect: str, size: int) -> Messages:
    """Results of one turn that do not say which call they answer."""
    answers = brings(dialect, *names(size))
    for holder in answers if dialect == "openai-chat" else answers[0]["content"]:
        holder.pop("tool_call_id", None)
        holder.pop("tool_use_id", None)
    return ended([says("user", "go"), asks(dialect, *names(size)), *answers])


def system_texts(_dialect: str, size: int) -> Messages:
    return ended([says(("system", "user", "assistant")[number % 3], f"text {number}") for number in range(size)])


def system_texts_in_a_row(_dialect: str, size: int) -> Messages:
    return ended([says("system", f"text {number}") for number in range(size)])


def mixed_batches(dialect: str, size: int) -> Messages:
    """Turns with an open call of a provider's own tool, and words beside the results of the others."""
    messages = [says("user", "go")]
    for name in names(size // 3):
        server = {"type": "server_tool_use", "id": f"srvtoolu_{name}", "name": "web_search", "input": {}}
        (answers,) = brings(dialect, name)
        answers["content"].append({"type": "text", "text": f"words {name}"})
        called = {"role": "assistant", "content": [server, *asks(dialect, name)["content"]]}
        messages += [called, answers, says("assistant", "on it")]
    return ended(messages)


def untyped_calls(dialect: str, size: int) -> Messages:
    """Calls without a type or an id, with a name that no reader takes."""
    messages = intact(dialect, size)
    for message in messages:
        for call in message.get("tool_calls", ()):
            del call["type"], call["id"]
            call["function"]["name"] = "a.b"
    return messages


# What any reader may be given.
HISTORIES: dict[str, History] = {
    history.__name__: history
    for history in (
        intact,
        one_defect,
        a_defect_in_fifty,
        nothing_proven,
        dangling,
        dangling_between_users,
        results_at_the_end,
        results_reversed_at_the_end,
        results_in_front,
        one_turn_of_results,
        parallel_calls_unanswered,
        results_behind_words,
        one_role,
        duplicate_results,
        duplicate_calls,
        orphan_results,
        one_id_everywhere,
        one_id_dangling,
        illegal_ids,
        blank_texts,
        empty_messages,
    )
}
# What is only read by the rules of one API.
ANTHROPIC: dict[str, History] = {
    history.__name__: history
    for history in (
        dangling_sealed,
        server_calls,
        cache_marks,
        error_images,
        half_characters,
        nameless_results,
        system_texts,
        system_texts_in_a_row,
        mixed_batches,
    )
}
OPENAI_CHAT: dict[str, History] = {
    history.__name__: history
    for history in (
        half_characters,
        images_in_a_result,
        images_of_the_assistant,
        nameless_results,
        system_texts,
        untyped_calls,
    )
}
