"""Debug lines on stderr for who asks: `REJOINDER_DEBUG=session`, or `DEBUG=rejoinder:session`."""

from __future__ import annotations

import os


def listen() -> None:
    """Give each area that the environment names a handler: `session` is the logger `rejoinder.session`."""
    areas = [area.strip() for area in os.environ.get("REJOINDER_DEBUG", "").split(",")]
    for word in os.environ.get("DEBUG", "").split(","):
        name, _, area = word.strip().partition(":")
        if name == "rejoinder":
            areas.append(area)
    for area in dict.fromkeys(area for area in areas if area):
        _to_stderr(area)


def _to_stderr(area: str) -> None:
    import logging

    logger = logging.getLogger(f"rejoinder.{area}")
    if not logger.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter(f"rejoinder:{area} %(message)s"))
        logger.addHandler(handler)
        logger.setLevel(logging.DEBUG)
