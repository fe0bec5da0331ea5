"""Programs of others that serve, reload and start kernels work as where no policy decides.

They skip where `EXECPOLICY_TEST_PACKAGES` names no directory that
`/usr/bin/python3 -m pip install --target DIR flask nbconvert ipykernel` filled.
"""

import os
import shutil
from pathlib import Path

import pytest

from tests.sandbox.test_many import is_as_outside, pair

__all__ = ["pair"]
PACKAGES = os.environ.get("EXECPOLICY_TEST_PACKAGES", "")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(not PACKAGES, reason="NOT TESTED: no packages")]
FLASK = r"""
cat > app.py <<'E'
import flask
app = flask.Flask(__name__)
VERSION = 1
@app.get("/")
def page():
    return f"version {VERSION}"
app.run(port=8765, debug=True)
E
cat > get.py <<'E'
import sys, time, urllib.request
for _ in range(1000):
    try:
        if urllib.request.urlopen("http://127.0.0.1:8765").read().decode() == sys.argv[1]:
            print(sys.argv[1])
            break
    except OSError:
        pass
    time.sleep(0.05)
E
python3 app.py > log 2>&1 & python3 get.py "version 1"; sed -i "s/VERSION = 1/VERSION = 2/" app.py
python3 get.py "version 2"; pkill -P $!; kill $!; rm -r app.py get.py log
"""
JUPYTER = r"""
export HOME=$PWD/home JUPYTER_PATH=$PWD/home/share/jupyter; mkdir home
python3 -m ipykernel install --prefix home --name p > log 2>&1
cat > a.ipynb <<'E'
{"cells": [{"cell_type": "code", "execution_count": null, "id": "a", "metadata": {}, "outputs": [],
  "source": ["print('answer', 6 * 7)"]}], "nbformat": 4, "nbformat_minor": 5, "metadata":
  {"kernelspec": {"display_name": "p", "language": "python", "name": "p"}}}
E
python3 -m nbconvert --to notebook --execute --stdout a.ipynb 2>> log | grep '"answer 42'
rm -r a.ipynb home log
"""


@pytest.mark.parametrize("text", [FLASK, JUPYTER], ids=["flask", "jupyter"])
def test_frameworks(pair: tuple[Path, Path], text: str) -> None:
    for each in pair:
        shutil.copytree(PACKAGES, each / "packages")
        (each / ".gitignore").write_text("packages")
    is_as_outside(pair, f"export PYTHONPATH=$PWD/packages\n{text}")
