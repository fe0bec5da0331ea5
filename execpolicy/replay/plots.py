"""The plots of a report: inline SVG as wide as there is space, with its words in HTML."""

from collections.abc import Sequence

from execpolicy.replay.summary import Tally
from execpolicy.support.record import Value

HEIGHT = 100
MAX_COLUMNS = 180
"""Columns of a plot, so that each can be seen: more days or sessions are put together."""
_KINDS = ("passed", "asked", "forbidden")


class Bar(Value):
    """A row of a bar chart. All texts are HTML already."""

    name: str
    value: int
    note: str = ""
    title: str = ""


def _svg(kind: str, width: float, content: str, label: str) -> str:
    return (
        f'<svg class="{kind}" viewBox="0 0 {width:g} {HEIGHT}" preserveAspectRatio="none"'
        f' role="img" aria-label="{label}">{content}</svg>\n'
    )


def _rect(x: float, y: float, width: float, height: float, kind: str, title: str = "") -> str:
    told = f"<title>{title}</title>" if title else ""
    return (
        f'<rect class="{kind}" x="{x:.2f}" y="{y:.2f}" width="{width:.2f}"'
        f' height="{height:.2f}">{told}</rect>'
    )


def legend(tally: Tally) -> str:
    """The shares of all calls as one strip."""
    counts = (tally.passed, tally.asked, tally.forbidden)
    whole = max(1, tally.calls)
    at = 0.0
    parts = []
    for kind, count in zip(_KINDS, counts, strict=True):
        width = 1000 * count / whole
        parts.append(_rect(at, 0, width, HEIGHT, kind, f"{count:,} {kind}"))
        at += width
    names = "".join(
        f'<span class="{kind}">{kind} {100 * count / whole:.1f} %</span>\n'
        for kind, count in zip(_KINDS, counts, strict=True)
    )
    return (
        _svg("strip", 1000, "".join(parts), "shares of all calls") + f"<p class=key>{names}</p>\n"
    )


def timeline(days: Sequence[tuple[str, Tally]]) -> str:
    """A column for each day, or for several where there are many."""
    columns = _together(days)
    most = max(tally.calls for _, tally in columns)
    parts = []
    for number, (name, tally) in enumerate(columns):
        bottom = float(HEIGHT)
        for kind, count in zip(_KINDS, (tally.passed, tally.asked, tally.forbidden), strict=True):
            height = HEIGHT * count / most
            bottom -= height
            title = f"{name}: {count:,} {kind}"
            parts.append(_rect(number * 10 + 1, bottom, 8, height, kind, title))
    plot = _svg("columns", len(columns) * 10, "".join(parts), "calls of each day")
    ends = f"<p class=axis><span>{columns[0][0]}</span><span>{columns[-1][0]}</span></p>\n"
    return f"<p class=top>{most:,} calls</p>\n{plot}{ends}"


def _together(days: Sequence[tuple[str, Tally]]) -> list[tuple[str, Tally]]:
    size = -(-len(days) // MAX_COLUMNS)
    found = []
    for start in range(0, len(days), size):
        of = [tally for _, tally in days[start : start + size]]
        added = Tally(*(sum(getattr(t, kind) for t in of) for kind in _KINDS))
        found.append((_plain(days[start][0]), added))
    return found


def _plain(day: str) -> str:
    return "".join(c for c in day if c.isdigit() or c == "-")


def bars(rows: Sequence[Bar]) -> str:
    """Horizontal bars, the longest of them as wide as there is space."""
    most = max((row.value for row in rows), default=1) or 1
    parts = []
    for row in rows:
        note = f"<small>{row.note}</small>" if row.note else ""
        title = f"<p class=example>{row.title}</p>" if row.title else ""
        mark = _rect(0, 0, 1000 * row.value / most, HEIGHT, "asked")
        plot = _svg("bar", 1000, mark, f"{row.value:,}")
        parts.append(
            f"<li><span class=name>{row.name}</span><span class=count>{row.value:,}{note}</span>"
            f"{plot}{title}</li>\n"
        )
    return f"<ul class=bars>\n{''.join(parts)}</ul>\n"


def spread(counts: Sequence[int]) -> str:
    """The sessions by how often they asked, a column each."""
    ordered = sorted(counts, reverse=True)
    most = max(ordered, default=0) or 1
    size = -(-len(ordered) // MAX_COLUMNS) or 1
    columns = [ordered[at] for at in range(0, len(ordered), size)]
    parts = []
    for number, count in enumerate(columns):
        height = max(0.8, HEIGHT * count / most)
        kind = "asked" if count else "passed"
        parts.append(_rect(number * 10 + 1, HEIGHT - height, 8, height, kind, f"{count:,} asked"))
    plot = _svg("columns", len(columns) * 10, "".join(parts), "questions of each session")
    none = sum(count == 0 for count in ordered)
    axis = f"<p class=axis><span>asks most</span><span>{none:,} never ask</span></p>\n"
    return f"<p class=top>{most:,} questions</p>\n{plot}{axis}"


def curve(points: Sequence[float]) -> str:
    """How the share that is settled grows with each rule, from 0 to 100 %."""
    last = max(1, len(points) - 1)
    spots = [(1000 * at / last, HEIGHT - share) for at, share in enumerate(points)]
    line = " ".join(f"{x:.1f},{y:.2f}" for x, y in spots)
    area = f"0,{HEIGHT} {line} 1000,{HEIGHT}"
    grid = "".join(f'<line class="grid" x1="0" x2="1000" y1="{y}" y2="{y}"/>' for y in (25, 50, 75))
    drawn = f'{grid}<polygon class="area" points="{area}"/><polyline class="line" points="{line}"/>'
    plot = _svg("curve", 1000, drawn, "share of the questions that is settled")
    axis = f"<p class=axis><span>no rule</span><span>{len(points) - 1} rules</span></p>\n"
    return f"<p class=top>100 %</p>\n{plot}{axis}"
