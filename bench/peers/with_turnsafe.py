"""turnsafe: `repair()` as its README tells, for the provider that is asked for; dicts in, dicts out, no conversion."""

from importlib.metadata import version

import turnsafe
from contest import Messages, compete, task

PROVIDERS = {"openai-chat": "openai", "anthropic": "anthropic"}


def main() -> None:
    provider = PROVIDERS[task()["dialect"]]

    def mend(messages: Messages) -> Messages:
        return turnsafe.repair(messages, provider=provider)

    compete(
        version("turnsafe"),
        mend,
        {
            "validate": lambda messages: lambda: turnsafe.validate(messages, provider=provider),
            "repair": lambda messages: lambda: mend(messages),
        },
    )


if __name__ == "__main__":
    main()
