"""The inputs of the benchmarks: intact histories of any length, and ones with chosen defects, the same on every run.

Everything is written to JSON and read back before it is handed out: then ids, roles and keys are the distinct strings
that a decoder makes. Literal dicts share theirs, and would flatter every candidate.
"""

import json
import random
from collections.abc import Callable
from typing import Any

Message = dict[str, Any]
Messages = list[Message]

WORDS = (
    "harbour ledger signal orchard compass lantern tunnel quarry bridge meadow furnace anchor kernel packet router"
    " deploy migrate rollback metric trace bucket replica shard offset schema invoice parcel tariff voucher"
).split()
FOREIGN = ["Überprüfung läuft", "再起動が必要です", "проверка завершена", "数据库连接已断开", "señal ☂", "✔ fertig 🚢"]
TOOLS = ("read_file", "list_orders", "run_tests", "search_code", "fetch_rates")
CALLS_A_TURN = (1, 1, 1, 2, 2, 3, 4)


def text(rng: random.Random, low: int, high: int) -> str:
    """Text of low..high characters; one in six has words outside ASCII, as real logs and users do."""
    want = rng.randint(low, high)
    stock = " ".join(rng.choices(WORDS + FOREIGN if rng.random() < 1 / 6 else WORDS, k=40))
    return (stock * (want // len(stock) + 1))[:want]


def call_id(rng: random.Random) -> str:
    """An id as long as OpenAI's: 29 characters."""
    return f"call_{rng.getrandbits(96):024x}"


def decoded(messages: Messages) -> Messages:
    """The same messages as a JSON decoder hands them out."""
    return json.loads(json.dumps(messages))


def tool_turn(rng: random.Random, room: int) -> Messages:
    """An assistant message with calls and the results of all of them: at most `room` messages."""
    calls: Messages = []
    for _ in range(min(rng.choice(CALLS_A_TURN), room - 1)):
        arguments = json.dumps({"path": f"{rng.choice(WORDS)}/{rng.choice(WORDS)}.py", "query": text(rng, 20, 300)})
        function = {"name": rng.choice(TOOLS), "arguments": arguments}
        calls.append({"id": call_id(rng), "type": "function", "function": function})
    said = text(rng, 40, 300) if rng.random() < 0.5 else None
    results = [{"role": "tool", "tool_call_id": call["id"], "content": text(rng, 40, 4096)} for call in calls]
    return [{"role": "assistant", "content": said, "tool_calls": calls}, *results]


def openai_chat(count: int, seed: int = 1) -> Messages:
    """`count` OpenAI messages that nobody refuses, about half of them tool results."""
    rng = random.Random(f"intact {seed}")
    made: Messages = [{"role": "system", "content": text(rng, 800, 3000)}]
    while len(made) < count:
        room = count - len(made)
        if _answered(made):
            made.append({"role": "user", "content": text(rng, 40, 1200)})
        elif room > 2 and rng.random() < 0.62:
            made += tool_turn(rng, room - 1)
        else:
            made.append({"role": "assistant", "content": text(rng, 100, 2000)})
    return decoded(made)


def _answered(messages: Messages) -> bool:
    """Whether it is the user's turn."""
    last = messages[-1]
    return last["role"] == "system" or (last["role"] == "assistant" and "tool_calls" not in last)


def as_anthropic(messages: Messages) -> Messages:
    """The same history in Anthropic's shape: results are blocks of user messages, the system text stands elsewhere."""
    made: Messages = []
    for message in messages:
        content = message.get("content")
        if message["role"] == "tool":
            if not made or not isinstance(made[-1]["content"], list) or made[-1]["role"] != "user":
                made.append({"role": "user", "content": []})
            made[-1]["content"].append(
                {"type": "tool_result", "tool_use_id": message["tool_call_id"], "content": content}
            )
        elif calls := message.get("tool_calls"):
            blocks: Messages = [{"type": "text", "text": content}] if content else []
            for call in calls:
                function = call["function"]
                arguments = json.loads(function["arguments"])
                blocks.append({"type": "tool_use", "id": call["id"], "name": function["name"], "input": arguments})
            made.append({"role": "assistant", "content": blocks})
        elif message["role"] != "system":
            made.append({"role": message["role"], "content": content})
    return decoded(made)


def anthropic_source(count: int, seed: int = 1) -> Messages:
    """An OpenAI history that has about `count` messages, and ends with a user's, when it is written for Anthropic."""
    source = openai_chat(count * 2, seed)
    for end in range(len(source) - 1, 0, -1):
        if source[end]["role"] == "user" and sum(_starts_a_message(source, at) for at in range(end + 1)) <= count:
            return source[: end + 1]
    raise ValueError(f"no Anthropic history of {count} messages: wanted at least 2")


def _starts_a_message(source: Messages, at: int) -> bool:
    role = source[at]["role"]
    return role in ("user", "assistant") or (role == "tool" and source[at - 1]["role"] != "tool")


def up_to(messages: Messages, count: int) -> Messages:
    """The first `count` messages, less a few at the end: it stops where a user has spoken, so nothing is cut apart."""
    while not (messages[count - 1]["role"] == "user" and isinstance(messages[count - 1]["content"], str)):
        count -= 1
    return messages[:count]


# --- Defects ----------------------------------------------------------------------------------------------------------


def _lost_result(_: random.Random, messages: Messages, at: int) -> Messages:
    return messages[:at] + messages[at + 1 :]


def _result_of_nothing(rng: random.Random, messages: Messages, at: int) -> Messages:
    return [*messages[:at], {**messages[at], "tool_call_id": call_id(rng)}, *messages[at + 1 :]]


def _lost_calls(_: random.Random, messages: Messages, at: int) -> Messages:
    while messages[at]["role"] == "tool":
        at -= 1
    return messages[:at] + messages[at + 1 :]


def _user_in_between(_: random.Random, messages: Messages, at: int) -> Messages:
    return [*messages[:at], {"role": "user", "content": "Are you still there?"}, *messages[at:]]


def _result_twice(_: random.Random, messages: Messages, at: int) -> Messages:
    return [*messages[: at + 1], messages[at], *messages[at + 1 :]]


def _late_result(_: random.Random, messages: Messages, at: int) -> Messages:
    rest = messages[:at] + messages[at + 1 :]
    return [*rest[: at + 6], messages[at], *rest[at + 6 :]]


DEFECTS: dict[str, Callable[[random.Random, Messages, int], Messages]] = {
    "a lost result": _lost_result,
    "a result of nothing": _result_of_nothing,
    "lost calls": _lost_calls,
    "a user in between": _user_in_between,
    "a result twice": _result_twice,
    "a late result": _late_result,
}


def one_defect(messages: Messages, kind: str, seed: int = 1) -> Messages:
    """A new list with one defect of the kind, somewhere in the middle half."""
    rng = random.Random(f"defect {kind} {seed}")
    quarter = len(messages) // 4
    results = [at for at in range(quarter, len(messages) - quarter) if messages[at]["role"] == "tool"]
    results = results or [at for at, message in enumerate(messages) if message["role"] == "tool"]
    return DEFECTS[kind](rng, messages, rng.choice(results)) if results else messages


def many_defects(messages: Messages, every: int = 50) -> Messages:
    """One defect in each stretch of `every` messages, the kinds in turn."""
    kinds = list(DEFECTS)
    made: Messages = []
    for number, start in enumerate(range(0, len(messages), every)):
        made += one_defect(messages[start : start + every], kinds[number % len(kinds)], number)
    return made
