"""Record batches of requests in, of decisions out: each distinct text is decided once.

A batch has a column `command`, and perhaps `cwd`, both of texts. It comes back with the columns
`decision`, `confined` and `reason` after its own; rows stay in their order. A row without a command
has no decision.
"""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

from execpolicy.replay.arrow import (
    Batch,
    Column,
    are,
    coded,
    column,
    extended,
    filled_null,
    paired,
    positions,
    pyarrow,
    replaced,
)
from execpolicy.replay.batch import kept
from execpolicy.replay.batch.decider import TextDecision, is_project
from execpolicy.replay.batch.policy import BatchPolicy
from execpolicy.replay.batch.pool import DeciderPool

Pair = tuple[str, str | None]

COLUMNS = ("decision", "confined", "reason")


def decide_table(
    batches: Iterable[Batch],
    policy: BatchPolicy,
    *,
    workers: int = 0,
    kept_in: str | None = None,
) -> Iterator[Batch]:
    """The batches with what is decided about each row, by a policy and no machine.

    `workers` processes decide; with none, this one. Decisions are kept in the directory `kept_in`
    and found there the next time. Raises `ExecPolicyError` where pyarrow is missing, or a worker
    has another version.
    """
    pyarrow()
    path = kept.path_of(kept_in, policy) if kept_in else None
    with DeciderPool(policy, workers) as pool:
        deciding = TableDecider(pool, path)
        for encoded in _ahead(batches):
            yield deciding.encoded(encoded)


def _ahead(batches: Iterable[Batch]) -> "Iterator[EncodedBatch]":
    """The batches, of which the next is read while one is decided."""
    source = iter(batches)

    def following() -> "EncodedBatch | None":
        batch = next(source, None)
        return None if batch is None else EncodedBatch(batch)

    with ThreadPoolExecutor(1) as thread:
        coming = thread.submit(following)
        while (found := coming.result()) is not None:
            coming = thread.submit(following)
            yield found


class EncodedBatch:
    """A batch with its texts and directories, each value once.

    `places` are the directories, of which the last is none; `at` says for each row which it is.
    """

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.texts = _encoded(batch.column("command"))
        self.places: list[str | None] = [None]
        if "cwd" in batch.schema.names:
            cwds = _encoded(batch.column("cwd"))
            named = cwds.dictionary.to_pylist()
            self.places = [*(None if w is None else str(w) for w in named), None]
            self.at = filled_null(cwds.indices, len(named))
        else:
            self.at = column([0] * batch.num_rows, "int32")


_OPEN = -1
"""In the place of the number of a decision: it is another one in each directory."""


class TableDecider:
    """The decisions so far, as columns that rows point into.

    A text is decided once for all projects. It is decided by directory only where that decision
    does not hold in each, and where the directory is not a project.
    """

    def __init__(self, pool: DeciderPool, path: str | None) -> None:
        self._pool = pool
        self._path = path
        self._numbers: dict[tuple[str, ...], int] = {}
        self._columns = [_Coded() for _ in COLUMNS]
        self._anywhere = _Numbered()
        """The number of the decision in every project, or `_OPEN`."""
        self._by_pair: dict[Pair, int] = {}
        self._projects: dict[str | None, bool] = {}
        for pair, decision in (kept.read(path) if path else {}).items():
            self._note(pair, decision)

    def batch(self, batch: Batch) -> Batch:
        """One batch with its decisions."""
        return self.encoded(EncodedBatch(batch))

    def encoded(self, each: EncodedBatch) -> Batch:
        """The same of one that was made ready."""
        rows = self._rows(each.texts, each.at, each.places)
        more = {name: c.taken(rows) for name, c in zip(COLUMNS, self._columns, strict=True)}
        return extended(each.batch, more)

    def _rows(self, coded_texts: Column, at: Column, where: list[str | None]) -> Column:
        """For each row the number of its decision, by the numbers of its text and directory."""
        texts, words = coded_texts.indices, coded_texts.dictionary
        projects = column([int(self._is_project(each)) for each in where], "int8").take(at)
        mask = are(projects, 1)
        where_known = self._anywhere.positions(words)
        if mask is not None and self._take_missing(words, where_known, texts.filter(mask)):
            where_known = self._anywhere.positions(words)
        rows = self._anywhere.at(where_known).take(texts)
        elsewhere = are(projects, 0)
        if elsewhere is not None:
            others = column([_OPEN] * len(words), "int32").take(texts.filter(elsewhere))
            rows = replaced(rows, elsewhere, others)
        left = are(rows, _OPEN)
        if left is None:
            return rows
        pairs = paired(texts.filter(left), at.filter(left), len(where))
        numbers = [n for n in pairs.dictionary.to_pylist() if isinstance(n, int)]
        of_each = words.take(column([n // len(where) for n in numbers], "int64")).to_pylist()
        places = (where[n % len(where)] for n in numbers)
        distinct = [(str(w), place) for w, place in zip(of_each, places, strict=True)]
        self._take([pair for pair in distinct if pair not in self._by_pair])
        found = column([self._by_pair[pair] for pair in distinct], "int32")
        return replaced(rows, left, found.take(pairs.indices))

    def _take_missing(self, words: Column, known: Column, used: Column) -> bool:
        """Decide the texts that are used and not known; whether there are some."""
        numbers = used.unique()
        new = words.take(numbers.filter(known.take(numbers).is_null())).to_pylist()
        pairs: list[Pair] = [(text, None) for text in new if isinstance(text, str)]
        self._take(pairs)
        return bool(pairs)

    def _is_project(self, cwd: str | None) -> bool:
        if cwd not in self._projects:
            self._projects[cwd] = is_project(cwd)
        return self._projects[cwd]

    def _take(self, pairs: list[Pair]) -> None:
        decisions = self._pool.decide(pairs)
        for pair, decision in zip(pairs, decisions, strict=True):
            self._note(pair, decision)
        if self._path:
            kept.add(self._path, ((*pair, d) for pair, d in zip(pairs, decisions, strict=True)))

    def _note(self, pair: Pair, decision: TextDecision) -> None:
        values = decision.decision, decision.confined, decision.reason
        number = self._numbers.setdefault(values, len(self._numbers))
        if number == len(self._columns[0]):
            for one, value in zip(self._columns, values, strict=True):
                one.add(value)
        if pair[1] is None:
            self._anywhere.add(pair[0], number if decision.shared else _OPEN)
        if not decision.shared:
            self._by_pair[pair] = number


class _Numbered:
    """Texts with their numbers, which grow, looked up a column at a time."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._made: tuple[Column, Column] | None = None

    def add(self, text: str, number: int) -> None:
        """One more text."""
        self._numbers[text] = number
        self._made = None

    def positions(self, texts: Column) -> Column:
        """Where they stand among these; null where they do not."""
        return positions(texts, self._columns[0])

    def at(self, where: Column) -> Column:
        """The numbers that stand there, `_OPEN` for null."""
        return filled_null(self._columns[1].take(where), _OPEN)

    @property
    def _columns(self) -> tuple[Column, Column]:
        if self._made is None:
            texts, numbers = [*self._numbers], [*self._numbers.values()]
            self._made = column(texts, "string"), column(numbers, "int32")
        return self._made


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

    def taken(self, rows: Column) -> Column:
        """The texts at these rows."""
        if self._made is None:
            self._made = column(self._codes, "int32"), column([*self._values], "string")
        codes, values = self._made
        return coded(codes.take(rows), values)


def _encoded(values: Column) -> Column:
    """A column with each value once."""
    return values if hasattr(values, "dictionary") else values.dictionary_encode()
