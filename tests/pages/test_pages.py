"""Links lead somewhere, examples work, and each option, setting and figure is the program's."""

import ast
import importlib
import pkgutil
import re
import shlex

import pytest

from execpolicy.approvals.questions import granting, question
from execpolicy.commands import COMMANDS, hook, named
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.hosts.install.host import HOSTS
from execpolicy.hosts.permissions import files as host_lists
from execpolicy.hosts.protocols import AGENTS
from execpolicy.language.compile import compile_text
from execpolicy.proxy import answers, http1
from execpolicy.proxy.limits import Limits
from execpolicy.sandbox.backends import way_out
from execpolicy.sandbox.scan import links
from execpolicy.sandbox.session import size
from execpolicy.store.ledger import ledger, sessions
from execpolicy.store.sources.settings import Settings
from tests.pages import DOCS, PAGES, ROOT, blocks, code_spans, prose, text_of

# --- links ----------------------------------------------------------------------------------------


def anchors(page: str) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", t.lower()).strip().replace(" ", "-") for t in titles}


@pytest.mark.parametrize("page", PAGES)
def test_a_link_leads_somewhere(page: str) -> None:
    for link in re.findall(r"\]\((?!https?:)([^)\s]+)\)", prose(page)):
        name, _, anchor = link.partition("#")
        target = ((ROOT / page).parent / name).resolve() if name else ROOT / page
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(str(target.relative_to(ROOT))), link


@pytest.mark.parametrize("page", DOCS)
def test_a_page_can_be_found_from_the_readme(page: str) -> None:
    assert f"]({page})" in text_of("README.md")


# --- commands, options, settings ------------------------------------------------------------------

OPTIONS = {
    name for command in COMMANDS for o in named(command).syntax().options for name in o.names
} | {"--help"}
OF_OTHERS = {
    "README.md": "",
    "CONTRIBUTING.md": "--every --hypothesis-profile --strict",
    "ARCHITECTURE.md": "",
    "CHANGELOG.md": "--cached --config --eval --exclude --exclude-dir --from-file --iglob "
    "--include --mailmap-file --name-only --no-trunc --noEmit --read-batch --receive-pack "
    "--stdin --style --template-body --version",
    "grammar/REFERENCE.md": "--force",
    "docs/agents.md": "--allow-tool --allowed-tools --auto --deny-tool --user",
    "docs/wrap-agents.md": "--allow-all-paths --allow-all-tools --approval-mode --skip-trust "
    "--dangerously-bypass-approvals-and-sandbox --dangerously-skip-permissions",
    "docs/files.md": "--bind --cached --version",
    "docs/sandbox.md": "--bind-fd --security-opt",
}
"""The options of other programs that a page names."""
OF_ALL = ("docs/program.md", "docs/messages.md")
"""The pages that have options of all sorts."""


@pytest.mark.parametrize("page", [page for page in PAGES if page not in OF_ALL])
def test_an_option_that_a_page_names_exists(page: str) -> None:
    named = {o for span in code_spans(page) for o in re.findall(r"(?<![\w-])--[a-z][\w-]+", span)}
    assert named - OPTIONS == set(OF_OTHERS.get(page, "").split())


def test_the_page_of_commands_has_each_in_its_list_and_in_this_order() -> None:
    page = text_of("docs/commands.md")
    listed = re.findall(r"^- \[`(.*)`\]\(#\1\): [a-z].*[^.]$", page, re.MULTILINE)
    assert listed == re.findall(r"^## (.*)", page, re.MULTILINE) == [*COMMANDS]


@pytest.mark.parametrize("name", ["hook", "import", "install", "uninstall"])
def test_a_help_names_each_host(name: str) -> None:
    hosts = named(name).syntax().operands
    listed = re.findall(r"^hosts: +(.*)", named(name).help(), re.MULTILINE)
    assert hosts
    assert listed == [" ".join(hosts.known())]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_help_names_each_option_and_the_exit_codes(name: str) -> None:
    text = named(name).help()
    for option in named(name).syntax().options:
        assert any(re.search(rf"(?m)(^|[\s,\[]){re.escape(n)}\b", text) for n in option.names)
    assert re.search(r"^exit codes: ", text, re.MULTILINE)
    assert re.search(r"^examples?: ", text, re.MULTILINE)


def test_an_exit_code_is_on_a_page() -> None:
    codes = {str(int(code)) for code in ExitCode}
    tables = text_of("README.md") + text_of("docs/sandbox.md")
    assert codes == set(re.findall(r"^\|(?: \S+ \|)? (\d+) \|", tables, re.MULTILINE))


def test_the_variables_of_the_settings() -> None:
    page = text_of("docs/settings.md")
    defaults = dict(re.findall(r"^\| `(\w+)` \| [^|]*\| `([^`]+)` \|", page, re.MULTILINE))
    shown = {"True": "true", "False": "false"}
    values = {name: getattr(Settings(), name) for name in Settings.__fields__ if name != "problems"}
    said = {
        k: shown.get(str(v), f'"{v}"' if isinstance(v, str) else str(v)) for k, v in values.items()
    }
    assert defaults == said


# --- examples -------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["starlark", "python", "console", "sh"])
def test_there_are_examples_to_try(language: str) -> None:
    assert any(blocks(page, language) for page in ("README.md", *DOCS))


CASES = ("docs/testing.md", "docs/tutorial.md")
"""Their blocks have the builtins of cases, too; `docs/tutorial.md` is run."""


@pytest.mark.parametrize("page", [page for page in DOCS if page not in CASES])
def test_the_rules_of_a_page_load(page: str) -> None:
    for block in blocks(page, "starlark"):
        assert compile_text(block)


@pytest.mark.parametrize("page", ["README.md", *DOCS])
def test_the_python_of_a_page_names_what_there_is(page: str) -> None:
    for block in blocks(page, "python"):
        for node in ast.walk(ast.parse(block)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("execpolicy"):
                module = importlib.import_module(node.module or "")
                assert [a.name for a in node.names if not hasattr(module, a.name)] == []


@pytest.mark.parametrize("page", ["README.md", *DOCS])
def test_a_shell_line_is_words(page: str) -> None:
    for block in [*blocks(page, "console"), *blocks(page, "sh")]:
        for line in re.findall(r"^\$ (.*)$", block, re.MULTILINE):
            assert shlex.split(line, comments=True)


@pytest.mark.parametrize("page", DOCS)
def test_a_module_that_a_page_names_exists(page: str) -> None:
    for name in code_spans(page):
        if re.fullmatch(r"execpolicy(\.\w+)+", name):
            assert pkgutil.resolve_name(name)
        elif re.fullmatch(r"(execpolicy|tests|benchmarks|hosts|rules)(/[\w.]+)+", name):
            assert any((base / name).exists() for base in (ROOT, ROOT / "execpolicy")), name


# --- tables and figures ---------------------------------------------------------------------------


def test_the_hosts_and_their_files() -> None:
    rows = re.findall(r"^\| `(\w+)` \| `~/([^`]+)`", text_of("docs/agents.md"), re.MULTILINE)
    assert dict(rows) == {name: HOSTS[name].user for name in AGENTS}


def test_the_words_of_a_refused_connection() -> None:
    page = text_of("docs/network.md")
    words = {f"blocked-by-{word}" for word in answers._WORDS.values()} | {"blocked-by-policy"}
    assert set(re.findall(r"^\| `(blocked-by-[\w-]+)`", page, re.MULTILINE)) == words


LIMITS = Limits()
FIGURES = [
    ("docs/approvals.md", "1 h by default", granting.TIMED_SECONDS == 3600),
    ("docs/approvals.md", "8 h at most", granting.MAX_SECONDS == 8 * 3600),
    ("docs/approvals.md", "24 hours without use end it", sessions.IDLE_SECONDS == 24 * 3600),
    ("docs/approvals.md", "A question ends after ten minutes", question.SECONDS == 600),
    ("docs/approvals.md", "locked for longer than 250 ms", ledger.BUSY_SECONDS == 0.25),
    ("docs/agents.md", "more than\n1.7 s", hook.SECONDS == 1.7),
    ("docs/agents.md", "up to 1 MB each", host_lists.MAX_BYTES == 1 << 20),
    ("docs/network.md", "`127.0.0.1:3128`", way_out.PORT == 3128),
    ("docs/network.md", "does not answer within 5 minutes", LIMITS.ask == 300),
    ("docs/network.md", "16 kB and 30 seconds", (http1.MAX_HEAD, LIMITS.head) == (16384, 30)),
    ("docs/network.md", "256\nconnections at once", LIMITS.connections == 256),
    ("docs/network.md", "15 minutes in which nothing moves", LIMITS.idle == 900),
    ("docs/sandbox.md", "more than 200 files", links.MAX_LINKS == 200),
    ("docs/sandbox.md", "8 GiB without", size.MAX_BYTES == 8 << 30),
]


@pytest.mark.parametrize(("page", "figure", "holds"), FIGURES, ids=[f for _, f, _ in FIGURES])
def test_a_figure_of_a_page(page: str, figure: str, holds: bool) -> None:
    assert " ".join(figure.split()) in " ".join(text_of(page).split())
    assert holds
