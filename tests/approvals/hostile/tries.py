"""The tries of an agent to answer its own question: `tries.toml`, which says what they are."""

import tomllib
from pathlib import Path

_READ = tomllib.loads(Path(__file__).with_name("tries.toml").read_text())
PROCESSES: dict[str, str] = _READ["processes"]
CALLS: list[str] = _READ["calls"]["texts"]
FORGED: list[dict[str, object]] = _READ["events"]
