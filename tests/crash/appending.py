"""Appends ten rows to a session and tells of each how it went: `python appending.py FILE DURABILITY`."""

import sys

from rejoinder.edge.sessions import Session
from rejoinder.errors import SessionError


def main(path: str, durability: str) -> None:
    try:
        session = Session.open(path, durability=durability)  # type: ignore[arg-type]
    except SessionError as error:
        sys.stdout.write(f"refused {error}\n")
        return
    for number in range(10):
        try:
            session.append({"role": "user", "content": f"{number} " + "x" * 200})
        except SessionError as error:
            sys.stdout.write(f"failed {number} {error}\n")
        else:
            sys.stdout.write(f"acknowledged {number}\n")
    session.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
