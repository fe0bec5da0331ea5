"""What the hosts publish holds for every reply we can give and for every payload we recorded.

The forms are taken from the hosts' own programs and packages (`published.py` says which), JSON
schemas by `jsonschema`, types by the TypeScript compiler. Payloads whose name ends in `_required`
or `_unknown_fields` have less or more than the host sends: for these it must find the mistake.
"""

import json
import mmap
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from execpolicy.hosts.protocols import load
from execpolicy.support.resources import plugins_directory
from tests.agents import real, replies, support
from tests.agents.published import ANSWERS, FIELDS, MADE, PACKAGES, PAYLOADS, SAME_FORM, TOOLS
from tests.store.support import write

pytestmark = pytest.mark.slow

NOT_SENT = ("_required", "_unknown_fields")


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> replies.Known:
    return replies.verdicts(tmp_path_factory.mktemp("rules"))


def recorded(host: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The name, the event and the payload of each exchange."""
    for path in support.golden(host):
        payload = json.loads(path.read_text())["payload"]
        yield path.stem, load(host).read(payload).event, payload


# --- Codex ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def codex() -> dict[str, dict[str, Any]]:
    """The schemas that stand as text in the program, by their titles."""
    started = Path(real.program("codex")).resolve()
    inside = (p for p in started.parents[2].glob("*/vendor/*/bin/codex") if p.is_file())
    found = {}
    with next(inside, started).open("rb") as file:
        text = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        for start in re.finditer(rb'\{\s*"\$schema": "http://json-schema\.org/draft-07/', text):
            piece = text[start.start() : start.start() + 100_000].decode(errors="replace")
            schema = json.JSONDecoder().raw_decode(piece)[0]
            found[schema.get("title", "")] = schema
    return found


EVENTS = {"PreToolUse": "pre-tool-use", "PermissionRequest": "permission-request", "": ""}


def test_codex_names_the_fields_that_were_recorded(codex: dict[str, dict[str, Any]]) -> None:
    parts = {n: d for s in codex.values() for n, d in s.get("definitions", {}).items()} | codex
    for name, fields in FIELDS["codex"].items():
        required = parts[name].get("required", [])
        said = {n if n in required else f"{n}?" for n in parts[name]["properties"]}
        assert said == set(fields.split()), name
        assert parts[name]["additionalProperties"] is False


def test_codex_accepts_every_reply(codex: dict[str, dict[str, Any]], known: replies.Known) -> None:
    checked = 0
    for given in replies.every("codex", known):
        if given.reply.stdout:
            event = EVENTS[given.event or "PreToolUse"]
            jsonschema.validate(json.loads(given.reply.stdout), codex[f"{event}.command.output"])
            checked += 1
    assert checked > 10


@pytest.mark.parametrize(("name", "event", "payload"), list(recorded("codex")))
def test_codex_sends_what_was_recorded(
    name: str, event: str, payload: dict[str, Any], codex: dict[str, dict[str, Any]]
) -> None:
    schema = jsonschema.Draft7Validator(codex[f"{EVENTS[event]}.command.input"])
    assert schema.is_valid(payload) is not name.endswith(NOT_SENT)


# --- types ------------------------------------------------------------------------------------

PROPERTIES = """\
type Mark<T, K extends keyof T> = {} extends Pick<T, K> ? "?" : "";
type Named<T> = { [K in keyof T & string]-?: `${K}${Mark<T, K>}` }[keyof T & string];
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
"""


def fields(host: str) -> Iterator[str]:
    """Lines that hold if the types have the fields that were recorded."""
    for name, said in FIELDS[host].items():
        union = " | ".join(f'"{field}"' for field in said.split())
        yield f"export const {name}_: Same<Named<{name}>, {union}> = true;"


def answers(host: str, known: replies.Known) -> Iterator[str]:
    """Lines that hold if every reply is of the type of its event's answers."""
    for form in SAME_FORM[host]:
        for given in replies.every(form, known):
            answer = ANSWERS.get((host, given.event))
            if given.reply.stdout and answer:
                yield f"({given.reply.stdout.strip()}) satisfies {answer};"


def payloads(host: str) -> Iterator[str]:
    """Lines that hold if the recorded payloads are of their events' types."""
    for name, event, payload in recorded(host):
        if (kind := PAYLOADS.get((host, event))) is None:
            continue
        if name.endswith(NOT_SENT):
            yield "// @ts-expect-error"
        yield f"({json.dumps(payload)}) satisfies {kind};"
        if host == "claude" and payload["tool_name"] in TOOLS and not name.endswith(NOT_SENT):
            yield f"({json.dumps(payload['tool_input'])}) satisfies {TOOLS[payload['tool_name']]};"


def mistakes(folder: Path, text: str) -> str:
    """What the TypeScript compiler has against a file, with the installed types."""
    compiler = real.program("tsc")
    write(folder / "check.ts", text)
    write(folder / "package.json", '{"type": "module"}')
    (folder / "node_modules").symlink_to(real.INSTALLED / "node_modules")
    options = "--noEmit --strict --skipLibCheck --allowJs --target es2023 --module nodenext"
    command = [compiler, *options.split(), "--types", "node", "check.ts"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return done.stdout + done.stderr


@pytest.mark.parametrize("host", PACKAGES)
def test_the_types_hold(host: str, known: replies.Known, tmp_path: Path) -> None:
    real.package(PACKAGES[host])
    names = ", ".join(sorted(FIELDS[host]))
    given = f'import type {{ {names} }} from "{PACKAGES[host]}";'
    lines = [MADE.get(host, given), PROPERTIES]
    if host == "claude":
        tools = ", ".join(TOOLS.values())
        lines.append(f'import type {{ {tools} }} from "{PACKAGES[host]}/sdk-tools";')
    said = list(answers(host, known))
    assert len(said) > 20
    lines += [*fields(host), *said, *payloads(host)]
    assert mistakes(tmp_path, "\n".join(lines)) == ""


# The first generation's forms, and what the second lacks to this day.
PLUGIN = """\
plugin satisfies (input: PluginInput) => Promise<Hooks>;
export const hooks: [Exclude<keyof Ours, keyof Hooks>] extends [never] ? true : false = true;
export const answer: "postSessionIdPermissionsPermissionId" extends keyof PluginInput["client"]
  ? true : false = true;
"""


def test_the_plugin_has_the_form_of_opencode(tmp_path: Path) -> None:
    real.package("@opencode-ai/plugin")
    source = Path(plugins_directory()) / "opencode/execpolicy.js"
    write(tmp_path / "execpolicy.js", source.read_text())
    lines = [MADE["opencode"], PROPERTIES, *fields("opencode"), PLUGIN]
    assert mistakes(tmp_path, "\n".join(lines)) == ""
    wrong = source.read_text().replace('"tool.execute.before"', '"tool.execute.soon"')
    again = tmp_path / "again"
    write(again / "execpolicy.js", wrong)
    assert "TS2322" in mistakes(again, "\n".join(lines))


@pytest.mark.parametrize(
    "line",
    [
        '({ hookSpecificOutput: { hookEventName: "PreToolUse", reason: "x" } })',
        '({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "no" } })',
        '({ permission: "allow" })',
    ],
)
def test_the_compiler_finds_what_is_wrong(line: str, tmp_path: Path) -> None:
    real.package(PACKAGES["claude"])
    head = f'import type {{ SyncHookJSONOutput }} from "{PACKAGES["claude"]}";\n'
    assert "error TS" in mistakes(tmp_path, f"{head}{line} satisfies SyncHookJSONOutput;")
