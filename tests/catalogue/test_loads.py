"""What programs load of a project before they read their words, and what its settings add."""

import shlex

import pytest

from execpolicy.catalogue import Reading, read
from execpolicy.model.place import SettingsFile
from execpolicy.model.written.program import Program
from tests.catalogue.build import effects, one, problems, reads, strongest, without_settings
from tests.catalogue.shipped import RULES, everything, programs

ENTRIES = {name: program for path in RULES for program in programs(path) for name in program.names}
EXECUTING = sorted(
    name
    for name, program in ENTRIES.items()
    if "execute" in program.effect.split() and not name.startswith("{unlocks}")
)
ASKS = ("", "--version", "--help", "-h", "-v", "-V", "-version", "version", "help")


def shipped(command: str) -> Reading:
    return read(tuple(shlex.split(command)), everything()[0])


def loads(name: str) -> str:
    """What an entry says it loads, or the nearest one above it."""
    while name and not (name in ENTRIES and ENTRIES[name].loads):
        name = name.rpartition(" ")[0]
    return ENTRIES[name].loads if name else ""


LOADING = sorted(name for name in ENTRIES if loads(name).partition(" ")[0] in ("before", "copy"))


def test_a_program_that_executes_says_what_it_loads() -> None:
    """There is no default: whoever adds such an entry decides whether it may show its version."""
    tops = {name.partition(" ")[0] for name in EXECUTING}
    assert [top for top in sorted(tops) if top not in ENTRIES or not ENTRIES[top].loads] == []
    assert [name for name in EXECUTING if not loads(name)] == []


def test_what_loads_the_project_first_has_no_call_that_only_reads() -> None:
    calls = []
    for name in LOADING:
        bare = name.replace("{version}", "3")
        early = loads(name).split()[1:] if name in ENTRIES else []
        calls += [f"{bare} {word}" for word in ASKS if word not in early]
    assert [call for call in calls if "execute" not in effects(shipped(call))] == []


def test_what_it_answers_before_is_one_word_alone() -> None:
    answered = [
        (name.replace("{version}", "3"), word)
        for name in LOADING
        for word in ENTRIES[name].loads.split()[1:]
        if "=" not in word
    ]
    assert answered
    for bare, word in answered:
        assert strongest(shipped(f"{bare} {word}")) == "read", (bare, word)
        assert "execute" in effects(shipped(f"{bare} {word} x")), (bare, word)
        assert "execute" in effects(shipped(f"{bare} x {word}")), (bare, word)


BEFORE = """
    pytest --version | pytest --help | py.test --version | python3 -m pytest --version
    tox --version            | tox --help              | scrapy --version      | scrapy
    poetry --version         | poetry                  | poetry show --help
    python -m flake8 -h      | pylint --help           | pylint
    nose2 --version          | mutmut --version        | pyre --version        | doit --help
    flask --help             | conan --version         | marp --version        | latexmk --version
    mocha --version          | nyc --version           | typedoc --version     | prisma --version
    docusaurus --version | knex --help | sequelize --version | markdownlint-cli2 --version
    mvn --version            | mvn -v                  | mvnd --version        | sbt --version
    sbt --help               | lein version            | lein --version        | mill --version
    rebar3 version           | rebar3 --version        | premake5 --version    | xmake --version
    pants --version          | plz --help              | readpe --version      | rubocop --version
    rubocop -V               | standardrb --version    | jekyll --version      | jekyll help
    fastlane --version       | overcommit --version    | knife --help          | vagrant --help
    vagrant help             | cookstyle --version     | phpstan --version     | psalm --version
    rector --version         | codecept --version      | behat --help          | deptrac --version
    composer                 | composer --help         | composer help         | tflint --version
"""
COPY = """
    yarn --version           | yarn -v                 | yarn help             | yarn
    jest --version           | webpack --version       | webpack -v            | webpack-cli --help
    ng --version             | ng version              | ng help               | grunt --version
    gulp --version           | nx --version            | nx --help             | lerna --version
    turbo --help             | rush --version          | ava --version         | xo --version
    karma --version          | hexo version            | serverless --version  | sls -v
    rails --version | drush --version | trunk --version | openapi-generator-cli version
"""
FOLLOWS = """
    pnpm --version | pnpm | pnpm help | pnpm list --ignore-pnpmfile
    bundle --version         | bundle -v               | bundler help          | bazel version
    bazel --version          | bazelisk version        | dotnet --version      | dotnet --info
    cargo --version          | cargo fmt --check       | rustc --version       | rustfmt --version
    lean --version           | lake --help             | rspec --version       | repo --version
    go version | go help
    prettier --check .       | prettier -l src         | flake8
    flake8 --version         | flake8 --help
"""
PLAIN = """
    git --version            | node --version          | nodejs --version      | npm --version
    npx --version            | python3 --version       | python3 -V            | pip --version
    pip3 --version           | uv --version            | pipx --version        | ruby --version
    gem --version            | perl -v                 | php --version         | php -v
    composer --version       | java --version          | java -version         | javac -version
    kotlinc -version         | scala -version          | groovy --version      | gradle --version
    gradle -v                | ant -version            | gofmt -h              | ld --version
    rustup --version         | gcc --version           | g++ --version         | clang --version
    make --version           | cmake --version         | ninja --version       | meson --version
    docker --version         | docker version          | buildah --version     | podman --version
    kubectl version --client | helm version            | k9s --version         | minikube version
    terraform version | terraform -version | tofu version | terragrunt --version
    packer version | pulumi --version | ansible --version | ansible-playbook --version
    aws --version            | az --version            | gcloud --version      | gh --version
    glab --version           | deno --version          | bun --version         | tsc --version
    eslint --version         | prettier --version      | stylelint --version   | vite --version
    vitest --version         | next --version          | playwright --version  | cypress --version
    rollup --version         | tsx --version           | ts-node --version     | postcss --version
    ruff --version           | black --version         | mypy --version        | isort --version
    pylint --version         | nox --version           | pre-commit --version  | hatch --version
    jupyter --version        | ipython --version       | uvicorn --version     | gunicorn --version
    golangci-lint --version  | shellcheck --version    | shfmt --version       | hadolint --version
    yamllint --version       | jq --version            | yq --version          | rg --version
    fd --version             | curl --version          | wget --version        | ssh -V
    psql --version           | mysql --version         | sqlite3 --version     | redis-cli --version
    vim --version            | nvim --version          | code --version        | tmux -V
    elixir --version         | mix --version           | ghc --version         | julia --version
    R --version              | swift --version         | zig version           | rake --version
    phpunit --version        | vagrant --version       | mkdocs --version      | bison --version
"""


def table(text: str) -> list[str]:
    return [cell.strip() for line in text.strip().splitlines() for cell in line.split("|")]


@pytest.mark.parametrize("command", table(BEFORE) + table(COPY))
def test_code_of_the_project_runs_whatever_the_words_are(command: str) -> None:
    assert "execute" in effects(without_settings(shipped(command)))


@pytest.mark.parametrize("command", table(FOLLOWS))
def test_code_of_the_project_runs_where_a_file_of_it_says_so(command: str) -> None:
    reading = shipped(command)
    assert "execute" in effects(reading)
    assert any(cause.where for cause in reading.effects)


@pytest.mark.parametrize("command", table(FOLLOWS)[4:])
def test_without_the_file_it_only_reads(command: str) -> None:
    assert strongest(without_settings(shipped(command))) == "read"


@pytest.mark.parametrize("command", table(PLAIN))
def test_a_version_is_plain_where_words_come_first(command: str) -> None:
    assert strongest(shipped(command)) == "read"


CODE = """
    eslint .                 | stylelint a.css
    commitlint --from HEAD~1 | postcss a.css | tailwindcss -i a.css | svgo --config x.js a.svg
    markdownlint-cli2 a.md   | textlint a.md           | remark .              | alex .
    cspell .                 | mypy .                  | python3 -m flake8    | pylint src
    rubocop                  | php-cs-fixer fix --dry-run | phpstan analyse    | psalm
    sqlfluff lint a.sql      | checkov -d .            | ansible-lint          | tflint
    buf lint | xcodebuild -list | ansible-doc -t lookup file
    ansible-config dump -t all | husky --version       | luacheck .            | ast-grep -p a
"""
HOST = """
    kubectl kustomize .      | kustomize build .       | kubectl diff -k .     | kubectl get -k .
    kubectl apply --dry-run=client -k . | brew outdated | brew upgrade -n      | brew install -n jq
    taplo lint a.toml        | go get x
"""


@pytest.mark.parametrize("command", table(CODE))
def test_configuration_that_is_code_is_executed(command: str) -> None:
    assert "execute" in effects(without_settings(shipped(command)))


@pytest.mark.parametrize("command", table(HOST))
def test_what_fetches_reaches_the_network(command: str) -> None:
    assert "network" in effects(without_settings(shipped(command)))


SETTINGS = [
    ("npm view react", ".npmrc", "network"),
    ("npm search json", ".npmrc", "network"),
    ("npm ping", ".npmrc", "network"),
    ("npm outdated", ".npmrc", "network"),
    ("npm audit", ".npmrc", "network"),
    ("npm ls", ".npmrc", "network"),
    ("bun outdated", "bunfig.toml", "network"),
    ("deno outdated", ".npmrc", "network"),
    ("go list -m all", "go.mod", "network"),
    ("go vet ./...", "go.mod", "network"),
    ("go mod graph", "go.work", "network"),
    ("staticcheck ./...", "go.mod", "network"),
    ("govulncheck ./...", "go.mod", "network"),
    ("rustup show", "rust-toolchain.toml", "execute"),
    ("cargo metadata --no-deps", "rust-toolchain.toml", "execute"),
    ("uv pip list", ".venv", "execute"),
    ("uv python find", ".python-version", "execute"),
    ("terraform validate", ".terraform", "execute"),
    ("terraform show", ".terraform", "execute"),
    ("terraform providers schema", ".terraform", "execute"),
    ("terraform state list", ".terraform", "network"),
    ("tofu output", ".terraform", "network"),
    ("pulumi stack ls", "Pulumi.yaml", "network"),
    ("ansible-doc -l", "ansible.cfg", "execute"),
    ("ansible-galaxy search x", "ansible.cfg", "network"),
    ("docker compose config", "compose.yaml", "network"),
    ("docker compose logs db", "docker-compose.yml", "network"),
    ("ruff check .", "pyproject.toml", "write"),
    ("ruff check .", "ruff.toml", "write"),
    ("codespell src", ".codespellrc", "write"),
    ("autopep8 a.py", "setup.cfg", "write"),
    ("swiftlint", ".swiftlint.yml", "network"),
    ("dotnet package search x", "nuget.config", "network"),
    ("dart pub outdated", "pubspec.yaml", "network"),
    ("pixi search x", "pixi.toml", "network"),
    ("stack list", "stack.yaml", "network"),
    ("hg log", ".hg/hgrc", "execute"),
    ("jj log", ".jj/repo/config.toml", "execute"),
    ("git lfs locks", ".lfsconfig", "network"),
    ("uv pip list --outdated", "uv.toml", "network"),
    ("sentry-cli info", ".sentryclirc", "network"),
    ("wrangler whoami", ".env", "network"),
]


@pytest.mark.parametrize(("command", "file", "effect"), SETTINGS)
def test_a_file_of_the_project_adds_an_effect(command: str, file: str, effect: str) -> None:
    reading = shipped(command)
    assert strongest(without_settings(reading)) in ("read", "secret")
    added = {c.effect for c in reading.effects for item in c.where if item.name == file}
    assert effect in added


def test_a_build_reaches_the_network_where_modules_are_asked_for() -> None:
    reading = shipped("go build ./...")
    assert "network" not in effects(without_settings(reading))
    added = {(c.effect, item.name) for c in reading.effects for item in c.where}
    assert {("network", "go.mod"), ("network", "go.work")} <= added


@pytest.mark.parametrize(
    ("given", "line", "expected"),
    [
        ("after", "p --version", "read"),
        ("after", "p -v", "read"),
        ("before", "p --version", "execute"),
        ("before", "p", "execute"),
        ("copy", "p --help", "execute"),
        ("before --version", "p --version", "read"),
        ("before --version", "p $x", "execute"),
        ("before without=-v", "p -v", "read"),
        ("before without=-v", "p -v x", "read"),
        ("before without=-v", "p --help", "execute"),
        ("before without=-v", "p $x", "execute"),
    ],
)
def test_what_is_loaded_before_the_words(given: str, line: str, expected: str) -> None:
    assert strongest(reads(one("-v", "text*", loads=given), line)) == expected


@pytest.mark.parametrize(
    ("given", "line", "expected"),
    [
        ("a!network", "p", {"network"}),
        ("a!network b!write", "p x", {"network", "write"}),
        ("a=x|y!network,execute", "p", {"network", "execute"}),
        ("a!network", "p --help", set()),
        ("a!network", "p --version", set()),
    ],
)
def test_what_settings_add(given: str, line: str, expected: set[str]) -> None:
    reading = reads(one("-v", "text*", settings=given), line)
    assert effects(reading) == expected
    assert strongest(without_settings(reading)) == "read"


def test_a_file_may_be_the_condition_of_what_is_loaded() -> None:
    reading = reads(one("-v", "text*", loads="copy", settings="a b=x"), "p --version")
    assert [cause.where for cause in reading.effects if cause.effect == "execute"] == [
        (SettingsFile("a"), SettingsFile("b", ("x",)))
    ]


ADDS = (
    "in settings: `a!destroy`: write an effect of `execute`, `network`, `write`, `overwrites`, "
    "`secret`"
)


@pytest.mark.parametrize(
    ("loads", "settings", "message"),
    [
        ("sometimes", "", "in loads: `sometimes` is unknown: write `after`, `before`, `copy`"),
        ("after -v", "", "in loads: `-v` is for `before` and `copy`: take it away"),
        (
            "",
            "a!destroy",
            ADDS,
        ),
        ("after", "a", "in settings: `a` adds nothing: write `a!…`"),
    ],
)
def test_problems(loads: str, settings: str, message: str) -> None:
    found = problems(Program(("p",), loads=loads, settings=settings, operands=""))
    assert found == [f"program `p`: {message}"]
