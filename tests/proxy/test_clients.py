"""Programs that people use, pointed at a proxy by the table of variables, against local servers."""

import http.server
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from execpolicy.proxy.variables import variables
from tests.proxy.support import World
from tests.waiting import HANG_SECONDS

RULES = """
network_rule("allowed.test", "http", "allow", ports = [{port}])
network_rule("127.0.0.1", "http", "allow", ports = [{port}])
"""
NODE = """
fetch(process.argv[1]).then(async (r) => console.log(r.status, (await r.text()).trim()))
    .catch((e) => {{ console.log(String(e.cause || e)); process.exit(1) }})
"""
JAVA = """
import java.net.*;
class Get {
    public static void main(String[] a) throws Exception {
        var c = (HttpURLConnection) new URL(a[0]).openConnection();
        System.out.println(c.getResponseCode());
        if (c.getResponseCode() != 200) System.exit(1);
        System.out.write(c.getInputStream().readAllBytes());
        System.out.flush();
    }
}
"""


class Site:
    """A web server on loopback with a repository, a Python package and a package of npm."""

    def __init__(self, root: Path) -> None:
        handler = type("Quiet", (http.server.SimpleHTTPRequestHandler,), {"log_message": _nothing})
        self.server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), lambda *given: handler(*given, directory=str(root))
        )
        self.port = self.server.server_address[1]
        (root / "hello.txt").write_text("hello\n")
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


def _nothing(*_given: object) -> None:
    return


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    site = Site(tmp_path)
    yield site
    site.close()


@pytest.fixture
def world(site: Site) -> Iterator[World]:
    with World(RULES.format(port=site.port)).running() as world:
        yield world


def run(world: World, home: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    """Run a program with the proxy's variables, except those that keep loopback from it."""
    given = {"PATH": os.environ["PATH"], "HOME": str(home), **dict(variables(world.port))}
    given |= (
        {"PYENV_VERSION": os.environ.get("PYENV_VERSION", "")}
        if "PYENV_VERSION" in os.environ
        else {}
    )
    return subprocess.run(
        argv, env=given, capture_output=True, text=True, timeout=HANG_SECONDS, check=False, cwd=home
    )


def needs(name: str) -> None:
    if not shutil.which(name):
        pytest.skip(f"needs {name}")


def test_curl(world: World, site: Site, tmp_path: Path) -> None:
    needs("curl")
    url = f"http://allowed.test:{site.port}/hello.txt"
    assert run(world, tmp_path, "curl", "-sS", url).stdout == "hello\n"
    assert run(world, tmp_path, "curl", "-sSp", url).stdout == "hello\n"
    socks = f"socks5h://127.0.0.1:{world.port}"
    assert run(world, tmp_path, "curl", "-sSx", socks, url).stdout == "hello\n"
    refused = run(world, tmp_path, "curl", "-sSi", f"http://other.test:{site.port}/")
    assert "x-proxy-error: blocked-by-allowlist" in refused.stdout
    assert run(world, tmp_path, "curl", "-sS", "https://other.test/").returncode == 56


def test_git(world: World, site: Site, tmp_path: Path) -> None:
    needs("git")
    script = """
    set -e; git init -q --bare repo.git; git -C repo.git config uploadpack.allowAnySHA1InWant 1
    git init -q w; cd w; git -c user.name=a -c user.email=b@c commit -q --allow-empty -m one
    git push -q ../repo.git HEAD:refs/heads/main; cd ../repo.git
    git symbolic-ref HEAD refs/heads/main
    git update-server-info
    """
    subprocess.run(["bash", "-c", script], cwd=tmp_path, check=True, capture_output=True)
    url = f"http://allowed.test:{site.port}/repo.git"
    assert run(world, tmp_path, "git", "clone", "-q", url, "copy").returncode == 0
    assert run(world, tmp_path, "git", "ls-remote", f"http://other.test:{site.port}/x").returncode


def test_pip(world: World, site: Site, tmp_path: Path) -> None:
    page = tmp_path / "simple/thing/index.html"
    page.parent.mkdir(parents=True)
    page.write_text('<a href="thing-1-py3-none-any.whl">thing-1-py3-none-any.whl</a>')
    _wheel(page.parent / "thing-1-py3-none-any.whl")
    answer = run(
        world, tmp_path, sys.executable, "-m", "pip", "download", "-q", "--no-deps",
        "--trusted-host", "allowed.test", "-i", f"http://allowed.test:{site.port}/simple",
        "-d", "got", "thing",
    )  # fmt: skip
    if "No module named pip" in answer.stderr:
        pytest.skip("needs pip")
    assert answer.returncode == 0, answer.stderr
    assert (tmp_path / "got/thing-1-py3-none-any.whl").exists()


def _wheel(path: Path) -> None:
    import zipfile

    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(
            "thing-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: thing\nVersion: 1\n"
        )
        wheel.writestr("thing-1.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr("thing-1.dist-info/RECORD", "")


def test_npm(world: World, site: Site, tmp_path: Path) -> None:
    needs("npm")
    (tmp_path / "thing").write_text(
        '{"name": "thing", "dist-tags": {"latest": "1.0.0"},'
        ' "versions": {"1.0.0": {"name":'
        ' "thing", "version": "1.0.0", "dist":'
        ' {"tarball": "http://allowed.test/x", "shasum": "0"}}}}'
    )
    view = ("npm", "view", "thing", "version", "--fetch-retries=0", "--registry")
    answer = run(world, tmp_path, *view, f"http://allowed.test:{site.port}/")
    assert answer.stdout.strip() == "1.0.0", answer.stderr
    assert run(world, tmp_path, *view, f"http://other.test:{site.port}/").returncode


def test_fetch_of_node(world: World, site: Site, tmp_path: Path) -> None:
    needs("node")
    url = f"http://allowed.test:{site.port}/hello.txt"
    answer = run(world, tmp_path, "node", "-e", NODE.format(), url)
    if "ENOTFOUND" in answer.stdout or "EAI_AGAIN" in answer.stdout:
        pytest.skip("needs Node 22.21 or 24")
    assert answer.stdout == "200 hello\n"
    refused = run(world, tmp_path, "node", "-e", NODE.format(), f"http://other.test:{site.port}/")
    assert not refused.stdout.startswith("200")


@pytest.mark.slow
def test_java(world: World, site: Site, tmp_path: Path) -> None:
    needs("java")
    (tmp_path / "Get.java").write_text(JAVA)
    url = f"http://allowed.test:{site.port}/hello.txt"
    answer = run(world, tmp_path, "java", "Get.java", url)
    if "compiler" in answer.stderr:
        pytest.skip("needs a JDK")
    assert answer.stdout == "200\nhello\n", answer.stderr
    refused = run(world, tmp_path, "java", "Get.java", f"http://other.test:{site.port}/")
    assert refused.stdout == "403\n"


def test_python(world: World, site: Site, tmp_path: Path) -> None:
    script = "import sys,urllib.request as u;print(u.urlopen(sys.argv[1]).read().decode(),end='')"
    url = f"http://allowed.test:{site.port}/hello.txt"
    assert run(world, tmp_path, sys.executable, "-c", script, url).stdout == "hello\n"
