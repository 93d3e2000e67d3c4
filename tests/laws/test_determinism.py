"""The same input gives the same bytes, whatever the order in which sets are kept in this process or the next."""

import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
SEEDS = range(6)

# Run as a program of its own, since Python draws its hash seed when it starts.
_PROGRAM = """
import hashlib, json, random
import faults, rejoinder as rj
told = hashlib.sha256()
OWN = ("openai-chat", "anthropic", "openai-responses")
for dialect in faults.DIALECTS:
    for seed in range(20):
        rng = random.Random(seed)
        messages, _ = faults.broken(rng, faults.history(rng, dialect, 1 + seed % 6), dialect, 4)
        for target in ("pairs", "strict", *OWN):
            if target in (dialect, "pairs") or dialect in ("app", "neovate", "openai-chat") and target not in OWN[1:]:
                for policy in ("drop", "answer", "strip"):
                    outcome = rj.repair(messages, target, dialect=dialect, policy=policy)
                    found = [finding.as_dict() for finding in rj.check(messages, target, dialect=dialect)]
                    told.update(json.dumps([outcome.payload, outcome.as_dict(), found]).encode())
        told.update(json.dumps(rj.sanitize_messages(messages).messages).encode())
        told.update(rj.detect(messages).because.encode())
print(told.hexdigest())
"""


def test_the_hash_seed_does_not_matter():
    """Payload, steps, findings, patch and detection are the same bytes under six hash seeds."""
    names = os.pathsep.join([str(TESTS.parent / "src"), str(TESTS)])
    running = [
        subprocess.Popen(
            [sys.executable, "-c", _PROGRAM],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": names},
        )
        for seed in SEEDS
    ]
    told = [each.communicate() for each in running]
    assert all(each.returncode == 0 for each in running), told[0][1]
    assert len({digest for digest, _ in told}) == 1
    assert len(told[0][0].strip()) == 64
