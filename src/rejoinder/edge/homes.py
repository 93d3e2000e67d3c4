"""Where things are kept on this machine."""

from __future__ import annotations

import os


def sessions_folder() -> str:
    """The folder of our own sessions: `REJOINDER_HOME`, else where the system keeps an application's data."""
    home = os.environ.get("REJOINDER_HOME")
    if home is None:
        data = os.environ.get("XDG_DATA_HOME") or os.path.join(os.path.expanduser("~"), ".local", "share")
        home = os.path.join(data, "rejoinder")
    return os.path.join(home, "sessions")
