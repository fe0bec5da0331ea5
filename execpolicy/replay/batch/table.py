"""Record batches of requests in, of decisions out: each distinct text is decided once.

A batch has a column `command`, and perhaps `cwd`, both of texts. It comes back with the columns
`decision`, `confined` and `reason` after its own; rows stay in their order. A row without a command
has no decision.
"""

from execpolicy.replay.arrow import (
    are,
    coded,
    column,
    extended,
    filled_null,
    paired,
    pyarrow,
    replaced,
)
from execpolicy.replay.batch import kept
from execpolicy.replay.batch.decider import TextDecision, is_project
from execpolicy.replay.batch.policy import BatchPolicy
from execpolicy.replay.batch.pool import DeciderPool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from execpolicy.replay.arrow import Batch, Column

    Pair = tuple[str, str | None]

COLUMNS = ("decision", "confined", "reason")


def decide_table(
    batches: "Iterable[Batch]",
    policy: BatchPolicy,
    *,
    workers: int = 0,
    kept_in: str | None = None,
) -> "Iterator[Batch]":
    """The batches with what is decided about each row, by a policy and no machine.

    `workers` processes decide; with none, this one. Decisions are kept in the directory `kept_in`
    and found there the next time. Raises `ExecPolicyError` where pyarrow is missing, or a worker
    has another version.
    """
    pyarrow()
    path = kept.path_of(kept_in, policy) if kept_in else None
    with DeciderPool(policy, workers) as pool:
        deciding = TableDecider(pool, path)
        for batch in batches:
            yield deciding.batch(batch)


_OPEN = -1
"""In the place of the number of a decision: it is another one in each directory."""


class TableDecider:
    """The decisions so far, as columns that rows point into.

    A text is decided once for all projects. It is decided by directory only where that decision
    does not hold in each, and where the directory is no project.
    """

    def __init__(self, pool: DeciderPool, path: str | None) -> None:
        self._pool = pool
        self._path = path
        self._numbers: dict[TextDecision, int] = {}
        self._columns = [_Coded() for _ in COLUMNS]
        self._anywhere: dict[str, int] = {}
        """The number of the decision in every project, or `_OPEN`."""
        self._by_pair: dict[Pair, int] = {}
        self._projects: dict[str | None, bool] = {}
        for pair, decision in (kept.read(path) if path else {}).items():
            self._note(pair, decision)

    def batch(self, batch: "Batch") -> "Batch":
        """One batch with its decisions."""
        texts = _encoded(batch.column("command"))
        words = list(map(str, texts.dictionary.to_pylist()))
        if "cwd" in batch.schema.names:
            cwds = _encoded(batch.column("cwd"))
            where = [*(None if w is None else str(w) for w in cwds.dictionary.to_pylist()), None]
            at = filled_null(cwds.indices, len(where) - 1)
        else:
            where, at = [None], column([0] * batch.num_rows, "int32")
        rows = self._rows(texts.indices, words, at, where)
        more = {name: c.taken(rows) for name, c in zip(COLUMNS, self._columns, strict=True)}
        return extended(batch, more)

    def _rows(
        self, texts: "Column", words: list[str], at: "Column", where: "list[str | None]"
    ) -> "Column":
        """For each row the number of its decision, by the numbers of its text and directory."""
        projects = column([int(self._is_project(each)) for each in where], "int8").take(at)
        mask = are(projects, 1)
        known = self._anywhere
        if mask is not None:
            used = (words[n] for n in texts.filter(mask).unique().to_pylist() if isinstance(n, int))
            self._take([(word, None) for word in used if word not in known])
        rows = column([known.get(word, _OPEN) for word in words], "int32").take(texts)
        elsewhere = are(projects, 0)
        if elsewhere is not None:
            others = column([_OPEN] * len(words), "int32").take(texts.filter(elsewhere))
            rows = replaced(rows, elsewhere, others)
        left = are(rows, _OPEN)
        if left is None:
            return rows
        pairs = paired(texts.filter(left), at.filter(left), len(where))
        numbers = [n for n in pairs.dictionary.to_pylist() if isinstance(n, int)]
        distinct = [(words[n // len(where)], where[n % len(where)]) for n in numbers]
        self._take([pair for pair in distinct if pair not in self._by_pair])
        found = column([self._by_pair[pair] for pair in distinct], "int32")
        return replaced(rows, left, found.take(pairs.indices))

    def _is_project(self, cwd: str | None) -> bool:
        if cwd not in self._projects:
            self._projects[cwd] = is_project(cwd)
        return self._projects[cwd]

    def _take(self, pairs: "list[Pair]") -> None:
        decisions = self._pool.decide(pairs)
        for pair, decision in zip(pairs, decisions, strict=True):
            self._note(pair, decision)
        if self._path:
            kept.add(self._path, ((*pair, d) for pair, d in zip(pairs, decisions, strict=True)))

    def _note(self, pair: "Pair", decision: TextDecision) -> None:
        number = self._numbers.setdefault(decision, len(self._numbers))
        if number == len(self._columns[0]):
            values = decision.decision, decision.confined, decision.reason
            for one, value in zip(self._columns, values, strict=True):
                one.add(value)
        if pair[1] is None:
            self._anywhere[pair[0]] = number if decision.shared else _OPEN
        if not decision.shared:
            self._by_pair[pair] = number


class _Coded:
    """A column of texts that grows, each text once."""

    def __init__(self) -> None:
        self._values: dict[str, int] = {}
        self._codes: list[int] = []
        self._made: tuple[Column, Column] | None = None

    def __len__(self) -> int:
        return len(self._codes)

    def add(self, value: str) -> None:
        """One more row."""
        self._codes.append(self._values.setdefault(value, len(self._values)))
        self._made = None

    def taken(self, rows: "Column") -> "Column":
        """The texts at these rows."""
        if self._made is None:
            self._made = column(self._codes, "int32"), column([*self._values], "string")
        codes, values = self._made
        return coded(codes.take(rows), values)


def _encoded(values: "Column") -> "Column":
    """A column with each value once."""
    return values if hasattr(values, "dictionary") else values.dictionary_encode()
