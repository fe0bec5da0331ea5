"""Many random pairs of policies: `python -m tests.prove.campaign KIND FIRST COUNT [SIZE]`.

Each seed from FIRST on is a family of SIZE policies, of which each two are compared. Prints how
many answers of each sort there were; a disagreement ends it with the seed and the pair.
"""

import random
import sys
import time
from collections import Counter

from tests.prove import (
    test_catalogues,
    test_conditions,
    test_hosts,
    test_layers,
    test_paths,
    test_words,
)
from tests.prove.oracle import family

KINDS = {
    "words": test_words.KIND,
    "conditions": test_conditions.KIND,
    "hosts": test_hosts.KIND,
    "paths": test_paths.KIND,
    "catalogues": test_catalogues.KIND,
    "layers": test_layers.KIND,
}
BATCH = 5


def main() -> None:
    name, first, count, size = sys.argv[1], *map(int, (*sys.argv[2:], "8")[:3])
    answers: Counter[str] = Counter()
    for seed in range(first, first + count):
        if (seed - first) % BATCH == 0:
            memory: dict[object, object] = {}
        try:
            answers += family(random.Random(seed), KINDS[name], memory, size)  # type: ignore[arg-type] # noqa: S311
        except AssertionError:
            print(f"{name}: seed {seed} disagrees, after {dict(answers)}", flush=True)
            raise
        if (seed - first) % BATCH == BATCH - 1:
            spent = round(time.process_time())
            print(f"{name} {first}..{seed}: {dict(answers)}, {spent} s", flush=True)


if __name__ == "__main__":
    main()
