"""langchain-core: dicts to objects, `trim_messages` as its documentation recommends for a valid history, and back.

The budget is wide enough for everything: what is compared is what it does to a broken history, not what it cuts off.
It insists on a content key that OpenAI lets a message with calls go without, so it is given a null there.
"""

from importlib.metadata import version

from contest import Messages, compete
from langchain_core.messages import BaseMessage, convert_to_messages, convert_to_openai_messages, trim_messages

BUDGET = 10**9


def trimmed(messages: list[BaseMessage]) -> list[BaseMessage]:
    return trim_messages(
        messages,
        max_tokens=BUDGET,
        token_counter="approximate",
        strategy="last",
        start_on="human",
        end_on=("human", "tool"),
        include_system=True,
        allow_partial=False,
    )


def mend(messages: Messages) -> Messages:
    given = [{"content": None, **message} for message in messages]
    return convert_to_openai_messages(trimmed(convert_to_messages(given)))


def on_objects(messages: Messages):
    objects = convert_to_messages(messages)
    return lambda: trimmed(objects)


if __name__ == "__main__":
    compete(
        version("langchain-core"),
        mend,
        {
            "trim_messages (objects at hand)": on_objects,
            "convert, trim, convert back": lambda messages: lambda: mend(messages),
        },
    )
