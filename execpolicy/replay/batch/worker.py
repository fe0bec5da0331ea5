"""A process that decides: a policy as the first line, then a text and a directory a line.

`python -m execpolicy.replay.batch.worker`; an answer a line, in the same order, each a JSON array.
"""

import gc
import json
import sys

from execpolicy.model.errors import ExecPolicyError
from execpolicy.replay.batch.decider import TextDecider
from execpolicy.replay.batch.policy import BatchPolicy

YOUNG = 20_000
"""Objects after which garbage is looked for: by default that takes a seventh of the time."""


def main() -> int:
    """Answer until standard input ends."""
    try:
        decider = TextDecider(BatchPolicy.from_json(sys.stdin.readline()).load())
    except ExecPolicyError as error:
        print(json.dumps({"error": str(error)}), flush=True)
        return 1
    gc.freeze()
    gc.set_threshold(YOUNG)
    print("{}", flush=True)
    for line in sys.stdin:
        pairs = json.loads(line)
        found = [decider.of(text, cwd) for text, cwd in pairs]
        rows = [[d.decision, d.confined, d.reason, d.shared] for d in found]
        print(json.dumps(rows), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
