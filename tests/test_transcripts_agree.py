"""Two judges that know nothing of each other: the defects of a reader, and a check of the messages that it gives."""

import copy
import random
from collections import defaultdict
from pathlib import Path

import pytest

import rejoinder as rj
from rejoinder.dialects.detect import DIALECTS
from rejoinder.edge.session_files import open_session
from rejoinder.transcripts import formats
from rejoinder.transcripts.lines import Record
from rejoinder.transcripts.transcript import Transcript
from session_samples import INTACT
from test_transcripts_hostile import records

OPEN = ("pending", "paused", "interrupted", "cut", "errored", "denied")
ROUNDS = 250


def shuffled(rows: list[dict[str, object]], rng: random.Random) -> list[dict[str, object]]:
    """The rows with one or two of them lost, written again, or in each other's place."""
    rows = copy.deepcopy(rows)
    for _ in range(rng.randint(1, 2)):
        at, other = rng.randrange(len(rows)), rng.randrange(len(rows))
        match rng.randrange(3):
            case 0 if len(rows) > 2:
                del rows[at]
            case 1:
                rows.insert(other, copy.deepcopy(rows[at]))
            case _:
                rows[at], rows[other] = rows[other], rows[at]
    return rows


def named(found: Transcript) -> dict[str, set[str]]:
    names: dict[str, set[str]] = defaultdict(set)
    for defect in found.defects:
        if defect.live:
            names["open" if defect.kind in OPEN else defect.kind].update(defect.ids)
    return names


@pytest.mark.parametrize("form", INTACT)
def test_what_a_check_finds_is_told_as_a_defect(form: str, tmp_path: Path):
    """And where a defect is told of the active path, a check of its messages finds something."""
    rows = records(form, tmp_path)
    again = tmp_path / "again"
    again.mkdir()
    if open_session(str(INTACT[form](again))).dialect not in DIALECTS:
        pytest.skip("NOT CHECKED: the dialect of its messages is not known yet")
    rng = random.Random(form)
    odd = 0
    for _ in range(ROUNDS):
        numbered = [Record(row, b"", number, 0) for number, row in enumerate(shuffled(rows, rng), 1)]
        found = formats.read(numbered, form.split()[0])
        told = rj.check(list(found.messages), "pairs", dialect=found.dialect) if found.messages else []
        names = named(found)
        whose = set().union(*names.values())
        unanswered = {name for each in told if "call-answered" in str(each) for name in each.ids}
        orphans = {name for each in told if "result-has-call" in str(each) for name in each.ids}
        assert unanswered <= whose, (told, found.defects)
        assert orphans <= whose, (told, found.defects)
        assert told or not names.keys() & {"open", "orphan"}, found.defects
        odd += bool(told)
    # Where a call and its result are one record, no record that is lost parts them.
    assert odd > ROUNDS // 20 or form.startswith(("opencode", "gemini"))
