"""What a file of the project adds counts where the file is there, or where that cannot be told."""

from pathlib import Path

import pytest

from execpolicy.engine.decide import decide
from execpolicy.engine.engine import Engine
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Request
from execpolicy.model.place import SettingsFile
from execpolicy.places.disk import Disk
from execpolicy.places.repository.settings import MAX_SIZE, holds

ALLOW, PROMPT = Decision.ALLOW, Decision.PROMPT


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.load(rules=[])


EXTENDED = {
    "src/fix.toml": "fix = true",
    "src/plain.toml": "line-length = 9",
    "src/base.json": '{"composite": true}',
    "src/plain.json": "{}",
    "node_modules/@x/t/tsconfig.json": '{"extends": "./a.json"}',
    "node_modules/@x/t/a.json": '{"generateTrace": 1}',
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = tmp_path / "project"
    (path / "src").mkdir(parents=True)
    for name, text in EXTENDED.items():
        write(path, name, text)
    return path


def write(root: Path, name: str, text: str = "") -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize(
    ("command", "file", "text", "expected"),
    [
        ("npm view react", "package.json", "{}", ALLOW),
        ("docker compose -f ops/a.yml ps", "ops/a.yml", "include: [https://x.example/a]", PROMPT),
        ("docker compose -f ops/a.yml ps", "ops/a.yml", "services: {}", ALLOW),
        ("docker compose -f ops/b.yml ps", "ops/a.yml", "include: [a]", ALLOW),
        (
            "docker compose -f ops/a.yml ps",
            "ops/a.yml",
            "extends: {file: oci://x.example/a}",
            PROMPT,
        ),
        ("helm lint ops", "ops/values.schema.json", '{"type": "object"}', ALLOW),
        ("helm lint ops", "ops/values.schema.json", '{"$ref": "https://x.example/a"}', PROMPT),
        ("helm template x ops", "ops/charts/a/values.schema.json", "{}", PROMPT),
        ("helm install x ./ops --dry-run", "ops/values.schema.json", '{"$ref": "a"}', PROMPT),
        ("mise ls", "mise.toml", "[env]\n_.source = 'x.sh'\n", PROMPT),
        ("mise ls", "mise.toml", "[tools]\nnode = '22'\n", ALLOW),
        ("task --list", "Taskfile.yml", "dotenv: ['.env']\n", PROMPT),
        ("task --list", "Taskfile.yml", "tasks: {}\n", ALLOW),
        ("rye list", ".venv/bin/python", "", PROMPT),
        ("npm view react", ".npmrc", "registry=https://evil.example\n", PROMPT),
        ("npm view react", ".npmrc", "@a:registry = https://evil.example\n", PROMPT),
        ("npm view react", ".npmrc", '"\\u0072egistry"=https://evil.example\n', PROMPT),
        ("npm view react", ".npmrc", "engine-strict=true\n", ALLOW),
        ("npm --version", ".npmrc", "registry=https://evil.example\n", ALLOW),
        ("npm view x | head", ".npmrc", "registry=https://evil.example\n", PROMPT),
        ("echo $(npm ping)", ".npmrc", "proxy=http://evil.example\n", PROMPT),
        ("terraform validate", "main.tf", "", ALLOW),
        ("terraform validate", ".terraform/providers/x", "", PROMPT),
        ("terraform -chdir=src validate", "src/.terraform/x", "", PROMPT),
        ("ruff check .", "pyproject.toml", "[tool.ruff]\nselect = ['E']\n", ALLOW),
        ("ruff check .", "pyproject.toml", "[tool.ruff]\nextend-select = ['E']\n", ALLOW),
        ("ruff check .", "pyproject.toml", "[tool.ruff]\nfix = true\n", PROMPT),
        ("ruff check .", "ruff.toml", 'extend = "missing.toml"\n', PROMPT),
        ("ruff check .", "ruff.toml", 'extend = "src/fix.toml"\n', PROMPT),
        ("ruff check .", "ruff.toml", "extend-a = ['E']\nextend = 'src/plain.toml'", ALLOW),
        ("tsc --noEmit -p src", "src/tsconfig.json", '{"extends": "./base"}', PROMPT),
        ("tsc --noEmit -p src", "src/tsconfig.json", '{"extends":\n ["./plain", "@x/t"]}', PROMPT),
        ("tsc --noEmit -p src", "src/tsconfig.json", '{"extends": ["./plain"]}', ALLOW),
        ("tsc --noEmit -p src", "src/tsconfig.json", '{"extends": "./tsconfig"}', PROMPT),
        ("go list -m all", "go.mod", "module a\n", ALLOW),
        ("go list -m all", "go.mod", "module a\nrequire evil.example/x v1.0.0\n", PROMPT),
        ("cargo --version", "Cargo.toml", "", ALLOW),
        ("cargo --version", "rust-toolchain.toml", "", PROMPT),
        ("dotnet --version", "global.json", '{"sdk": {"version": "10.0.100"}}', ALLOW),
        ("dotnet --version", "global.json", '{"sdk": {"paths": [".dotnet"]}}', PROMPT),
        ("pnpm --version", "package.json", "{}", ALLOW),
        ("pnpm --version", "package.json", '{"packageManager": "pnpm@9.0.0"}', PROMPT),
        ("bundle -v", "Gemfile", "", PROMPT),
        ("bazel version", "tools/bazel", "", PROMPT),
        ("docker compose ps", "compose.yaml", "services:\n", ALLOW),
        ("docker compose ps", "compose.yaml", "include: [oci://evil.example/x]\n", PROMPT),
        ("uv pip list", "pyproject.toml", "", ALLOW),
        ("uv pip list", ".venv/bin/python", "", PROMPT),
        ("autopep8 a.py", "setup.cfg", "[pep8]\nIn-Place = 1\n", PROMPT),
        ("autopep8 a.py", "setup.cfg", "[pep8]\nmax-line-length = 1\n", ALLOW),
        ("pytest --version", "README.md", "", PROMPT),
    ],
)
def test_a_file_of_the_project_counts_where_it_is(
    engine: Engine, project: Path, command: str, file: str, text: str, expected: Decision
) -> None:
    write(project, file, text)
    assert engine.check(command, cwd=str(project)).decision is expected
    if not command.startswith("terraform -chdir"):
        assert engine.check(command, cwd=str(project / "src")).decision is expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("npm ls", PROMPT),
        ("cd /; npm ls", PROMPT),
        ("cd sub && npm ls", PROMPT),
        ("npm --prefix sub ls", PROMPT),
        ("cd $x; npm ls", PROMPT),
        ("cd -; npm ls", PROMPT),
        ("pushd sub; npm ls", PROMPT),
        ("env -C sub npm ls", PROMPT),
        ("bash -c 'cd sub && npm ls'", PROMPT),
        ("(cd sub; npm ls)", PROMPT),
    ],
)
def test_every_directory_that_a_command_may_run_in_is_looked_at(
    engine: Engine, project: Path, command: str, expected: Decision
) -> None:
    sub = project / "sub"
    write(sub, ".npmrc", "registry=https://evil.example\n")
    assert engine.check(command, cwd=str(sub)).decision is expected
    if "sub" in command or "$" in command or "-;" in command:
        assert engine.check(command, cwd=str(project)).decision is expected


def test_an_answer_is_not_kept_where_a_file_may_come(engine: Engine, project: Path) -> None:
    command = "npm view left-pad"
    assert engine.check(command, cwd=str(project)).decision is ALLOW
    write(project, ".npmrc", "registry=https://evil.example\n")
    assert engine.check(command, cwd=str(project)).decision is PROMPT


def test_without_anybody_to_ask_every_file_is_there(engine: Engine, project: Path) -> None:
    request = Request(argv=("npm", "view", "react"), cwd=str(project))
    assert decide(request, engine.snapshot).decision is PROMPT
    assert decide(request, engine.snapshot, Disk()).decision is ALLOW


def test_a_file_of_the_home_directory_is_not_the_projects(tmp_path: Path) -> None:
    write(tmp_path, ".npmrc", "registry=https://mine.example\n")
    (tmp_path / "project").mkdir()
    assert not holds(
        str(tmp_path / "project"), (SettingsFile(".npmrc", ("registry",)),), str(tmp_path)
    )
    assert holds(str(tmp_path / "project"), (SettingsFile(".npmrc", ("registry",)),), "/nowhere")


def test_what_cannot_be_read_is_there(project: Path) -> None:
    (project / "loop").symlink_to("loop")
    (project / "dangling").symlink_to("nothing")
    (project / "directory").mkdir()
    write(project, "large", "x " * MAX_SIZE)
    (project / "wide").write_bytes("word: 1".encode("utf-16"))
    for name in ("loop", "dangling", "large", "wide"):
        assert holds(str(project), (SettingsFile(name, ("word",)),), "/nowhere"), name
    for name in ("missing", "directory", "large/missing"):
        assert not holds(str(project), (SettingsFile(name, ("word",)),), "/nowhere"), name
    assert not holds(str(project), (SettingsFile("missing"),), "/nowhere")
