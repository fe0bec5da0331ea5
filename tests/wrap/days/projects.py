"""The projects of the days, each a repository with a bare remote beside it."""

import subprocess
from pathlib import Path

from tests.sandbox.keys.test_token_files import GH
from tests.wrap.days import approved, same

_GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@example.org")
_PYTHON = {
    "pyproject.toml": """\
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"

[project]
name = "app"
version = "0.1"

[tool.setuptools.packages.find]
where = ["src"]

[tool.pytest.ini_options]
pythonpath = ["src"]
""",
    "Makefile": "test:\n\tpytest -q\n",
    "src/app/__init__.py": "",
    "src/app/main.py": """\
def load(x: int) -> int:
    foo = x
    return foo


print(load(1))
""",
    "scripts/gen.py": "import pathlib\n\npathlib.Path('generated.txt').write_text('made')\n",
    "tests/test_a.py": "from app.main import load\n\n\ndef test_one():\n    assert load(1) == 1\n",
    ".gitignore": ".venv/\ndist/\nbuild/\n.env\n*.egg-info/\n__pycache__/\n.*_cache/\n",
    ".env": "TOKEN=x\n",
}
_TOOL = "#!/usr/bin/env node\n"
_SERVER = """\
import http from "node:http";
http.createServer((_, answer) => answer.end("served\\n")).listen(3111);
setTimeout(() => process.exit(), 60000);
"""
_NODE = {
    "package.json": """\
{
  "name": "app",
  "version": "1.0.0",
  "type": "module",
  "scripts": {
    "test": "node --test test/",
    "lint": "eslint src",
    "build": "node scripts/build.js",
    "format": "prettier --write src",
    "dev": "node scripts/dev.js"
  }
}
""",
    "src/index.js": "export const add = (a, b) => a + b;\nexport const foo = 1;\n",
    "scripts/build.js": """\
import fs from "node:fs";
fs.mkdirSync("dist", { recursive: true });
fs.writeFileSync("dist/out.js", "1\\n");
""",
    "scripts/dev.js": _SERVER,
    "test/a.test.js": """\
import test from "node:test";
import assert from "node:assert";
import { add } from "../src/index.js";
test("adds", () => assert.equal(add(1, 2), 3));
""",
    ".gitignore": "node_modules/\ndist/\n.env\n",
    ".env": "TOKEN=x\n",
}
_TOOLS = {
    "eslint": "console.log('no problems in', process.argv.slice(2).join(' '));\n",
    "tsc": "console.log('checked');\n",
    "prettier": """\
const fs = require("fs"), path = require("path");
const [how, top] = process.argv.slice(2);
for (const name of fs.readdirSync(top, { recursive: true })) {
  const file = path.join(top, name);
  if (how === "--write" && file.endsWith(".js")) fs.writeFileSync(file, fs.readFileSync(file));
  console.log(file);
}
""",
}
PYTHON = "/usr/bin/python3"
"""An interpreter outside of every home, which a sandbox hides."""
NEEDED = ("pytest", "ruff", "mypy", "build", "wheel", "setuptools")


def made(day: str, root: Path, url: str) -> dict[str, str]:
    """Make the project of a day, with what it reaches at a URL; the variables of its user."""
    files, more = _DAYS[day]
    _write(root, files)
    variables = more(root, url)
    origin = str(root.parent / "origin.git")
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", origin], check=True)
    subprocess.run(["git", "-C", origin, "config", "http.receivepack", "true"], check=True)
    for words in (
        ("init", "-q", "-b", "main"),
        ("config", "user.name", "a"),
        ("config", "user.email", "a@example.org"),
        ("add", "-A"),
        ("commit", "-qm", "one"),
        ("remote", "add", "origin", origin),
        ("push", "-q", "-u", "origin", "main"),
        ("remote", "set-url", "origin", f"{url}/origin.git"),
        ("branch", "old"),
    ):
        subprocess.run([*_GIT, *words], cwd=root, check=True, capture_output=True)
    return variables


def _kept(root: Path, _url: str) -> dict[str, str]:
    (root / "link").symlink_to("sub")
    return {"PATH": "/usr/local/bin:/usr/bin:/bin"}


def _write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755 if text.startswith("#!") else 0o644)


def _python(root: Path, registry: str) -> dict[str, str]:
    """The environment with the tools, and then with the registry that stands in."""
    environment = root / ".venv"
    subprocess.run([PYTHON, "-m", "venv", str(environment)], check=True)
    pip = str(environment / "bin/pip")
    subprocess.run([pip, "install", "-q", *NEEDED], check=True, capture_output=True)
    host = registry.split("/")[2].partition(":")[0]
    text = f"[global]\nindex-url = {registry}/simple\ntrusted-host = {host}\n"
    (environment / "pip.conf").write_text(text)
    start = f'PATH="{environment}/bin:$PATH"\n'  # a login shell sets PATH anew
    (root.parent / "home/.profile").write_text(start)
    return {
        "VIRTUAL_ENV": str(environment),
        "PATH": f"{environment}/bin:/usr/local/bin:/usr/bin:/bin",
    }


def _node(root: Path, registry: str) -> dict[str, str]:
    programs = {f"node_modules/.bin/{name}": _TOOL + text for name, text in _TOOLS.items()}
    _write(root, programs | {"node_modules/.bin/package.json": '{"type": "commonjs"}\n'})
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", "npm_config_registry": f"{registry}/"}


def _keys(root: Path, url: str) -> dict[str, str]:
    """A user who has logged in to the registry and to a forge, with a program as `gh` is."""
    place, home = url.removeprefix("http://"), root.parent / "home"
    login = f"registry={url}/\n//{place}/:_authToken={approved.TOKEN}\n"
    forge = f"{place}:\n    oauth_token: {approved.TOKEN}\n"
    start = f'PATH="{home}/tools:$PATH"\n'  # a login shell sets PATH anew
    files = {".npmrc": login, ".config/gh/hosts.yml": forge, "tools/gh": GH, ".profile": start}
    _write(home, files)
    path = f"{home}/tools:/usr/local/bin:/usr/bin:/bin"
    return {"PATH": path, "npm_config_update_notifier": "false"}


_DAYS = {
    "py": (_PYTHON, _python),
    "js": (_NODE, _node),
    "key": (_NODE, _keys),
    "same": (same.FILES, _kept),
}
