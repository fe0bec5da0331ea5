"""A log on one page: a file of HTML that is whole by itself, without a script or a request.

All text of a log is escaped, and the page forbids itself to load anything (Content Security
Policy).
"""

from collections.abc import Iterator, Sequence
from html import escape

from execpolicy.model.errors import printable
from execpolicy.model.rule import BASE
from execpolicy.replay.learn.learner import Learned
from execpolicy.replay.plots import Bar, bars, curve, legend, spread, timeline
from execpolicy.replay.requests import ReplayCall
from execpolicy.replay.summary import ReplaySummary
from execpolicy.support.resources import package_text

_HEAD = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>What the agents did</title>
<style>
"""
_NOTHING = """\
<header>
<p class=eyebrow>execpolicy replay</p>
<h1>No calls yet</h1>
<p class=lead>There is no call of an agent in what was read. Name its transcripts, or a directory of
them: <code>execpolicy replay --report day.html ~/.claude/projects</code></p>
</header>
"""
MOST_BARS = 14
FIRST_OPENED, MOST_OPENED = 8, 200


def page(
    found: ReplaySummary,
    calls: Sequence[ReplayCall],
    field: str,
    policy: str,
    learned: Learned | None = None,
) -> str:
    """The page about a log that a policy decided by `field`."""
    parts = [_HEAD, package_text("replay/report.css"), "</style>\n</head>\n<body>\n<main>\n"]
    if not found.tally.calls:
        parts.append(_NOTHING)
    else:
        parts += [*_top(found, calls, field, policy), *_body(found, learned)]
    parts.append("</main>\n</body>\n</html>\n")
    return "".join(parts)


def _shown(text: str, limit: int = 90) -> str:
    return escape(printable(" ".join(text.split()), limit))


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _top(
    found: ReplaySummary, calls: Sequence[ReplayCall], field: str, policy: str
) -> Iterator[str]:
    tally, sessions = found.tally, found.sessions
    projects = len({each.project for each in calls})
    days = [day for day, _ in found.days]
    span = f" · {escape(days[0])} to {escape(days[-1])}" if days else ""
    where = "in the sandbox" if field == "confined" else "without a sandbox"
    share = 100 * tally.passed / tally.calls
    yield "<header>\n"
    yield f"<p class=eyebrow>execpolicy replay{span}</p>\n"
    yield f"<h1><b>{share:.0f} %</b> of the calls pass unasked</h1>\n"
    yield (
        f"<p class=lead>{_count(tally.calls, 'call')} in {_count(len(sessions), 'session')}"
        f" of {_count(projects, 'project')}, decided again by <code>{_shown(policy, 60)}</code>,"
        f" {where}.</p>\n"
    )
    yield legend(tally)
    yield "<dl>\n"
    for value, name in (
        (f"{tally.passed:,}", "pass"),
        (f"{tally.asked:,}", "ask"),
        (f"{tally.forbidden:,}", "are forbidden"),
        (f"{found.median:g}", "questions in the middle session"),
        (f"{found.quantile(0.9):g}", "at most, in nine of ten sessions"),
    ):
        yield f"<div><dd>{value}</dd><dt>{name}</dt></div>\n"
    yield "</dl>\n</header>\n"


def _section(title: str, text: str, content: str, wide: bool = False) -> str:
    kind = ' class="wide"' if wide else ""
    return f"<section{kind}>\n<h2>{title}</h2>\n<p>{text}</p>\n{content}</section>\n"


def _body(found: ReplaySummary, learned: Learned | None) -> Iterator[str]:
    if found.opened:
        yield _opened(found)
    yield "<div class=grid>\n"
    if len(found.days) > 1:
        text = "Calls of each day that passed, asked or were refused."
        yield _section("Over time", text, timeline(found.days), wide=True)
    yield _section("What asks", "Calls, and in how many sessions.", _reasons(found))
    if learned is not None and learned.steps:
        yield _section("What would settle it", _settles(learned), _curve(learned))
    text = "Each bar is a session; its height is how often it asked."
    yield _section("Sessions", text, spread([tally.asked for _, tally in found.sessions]))
    named = [Bar(BASE[p], n) for p, n in found.places if p in BASE][:MOST_BARS]
    if named:
        yield _section("Where it acted", "Calls that touch a place, by its class.", bars(named))
    agents = [Bar(_shown(name, 30), t.calls, f"{t.asked:,} ask") for name, t in found.agents]
    yield _section("Agents", "Calls of each, and how many of them ask.", bars(agents))
    yield "</div>\n"


def _reasons(found: ReplaySummary) -> str:
    rows = [
        Bar(
            f"<code>{_shown(each.reason, 48)}</code>",
            each.calls,
            _count(each.sessions, "session"),
            _shown(each.example, 120),
        )
        for each in found.reasons[:MOST_BARS]
    ]
    rest = len(found.reasons) - len(rows)
    more = f"<p class=more>and {rest:,} more reasons</p>\n" if rest > 0 else ""
    return (bars(rows) + more) if rows else "<p class=more>Nothing asks.</p>\n"


def _settles(learned: Learned) -> str:
    share = 100 * learned.settled / learned.asked
    return (
        f"{len(learned.steps)} rules that <code>execpolicy learn</code> writes would settle"
        f" {share:.0f} % of the questions."
    )


def _curve(learned: Learned) -> str:
    from execpolicy.replay.learn.write import sentence

    total, points = 0, [0.0]
    for step in learned.steps:
        total += step.settled
        points.append(100 * total / learned.asked)
    rows = "".join(
        f"<li><span>{escape(sentence(step.rule)).replace('`', '')}</span>"
        f"<em>{step.settled:,}</em></li>\n"
        for step in learned.steps[:8]
    )
    return f"{curve(points)}<ol class=rules>\n{rows}</ol>\n"


def _opened(found: ReplaySummary) -> str:
    listed = (_shown(each.call.shown, 160) for each in found.opened[:MOST_OPENED])
    rows = [f"<li><code>{text}</code></li>\n" for text in listed]
    shown, folded = "".join(rows[:FIRST_OPENED]), "".join(rows[FIRST_OPENED:])
    summary = f"<summary>show {len(rows) - FIRST_OPENED:,} more</summary>\n"
    more = f"<details>{summary}<ul>\n{folded}</ul>\n</details>\n"
    text = "A person refused these calls, and under this policy they would pass."
    title = f"{_count(len(found.opened), 'refused call')} would pass"
    content = f"<h2>{title}</h2>\n<p>{text}</p>\n<ul>\n{shown}</ul>\n{more if folded else ''}"
    return f"<section class=alarm>\n{content}</section>\n"
