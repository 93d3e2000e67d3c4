"""What claude-agent-sdk reads of session files: run by a Python that has it, told in JSON on its standard output."""

import json
import os
import sys


def main() -> None:
    """For each file that is named, read as the session of its name: its messages, as the SDK takes them."""
    from claude_agent_sdk import get_session_messages

    home, *sessions = sys.argv[1:]
    os.environ["CLAUDE_CONFIG_DIR"] = home
    told = {
        session: [[message.type, message.uuid, message.message] for message in get_session_messages(session)]
        for session in sessions
    }
    json.dump(told, sys.stdout)


if __name__ == "__main__":
    main()
