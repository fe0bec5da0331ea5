"""The sets of hosts that ship: what is in them, and where uploads go."""

from pathlib import Path

from execpolicy.language.compile import compile_text
from execpolicy.model.decision import Decision
from execpolicy.policy.network_hosts import Attempt, decide
from execpolicy.policy.policy import Policy
from execpolicy.store.loader import load
from execpolicy.support.hostname import Host

ROOT = Path(__file__).parents[2]
CHANNELS = """
    registry.npmjs.org crates.io rubygems.org index.rubygems.org plugins.gradle.org www.nuget.org
    packagist.org hex.pm pub.dev hackage.haskell.org luarocks.org jsr.io npm.jsr.io repo.prefix.dev
    proxy.golang.org esm.sh deno.land
"""
"""Hosts of `registries` that take uploads, or fetch from wherever a request says."""


def sets() -> dict[str, tuple[str, ...]]:
    return {one.name: one.hosts for one in load(()).policy.host_sets}


def test_the_names_of_the_sets() -> None:
    assert set(sets()) == {"registries", "forges", "models"}


def test_every_channel_is_named_in_the_manual() -> None:
    manual = (ROOT / "docs/network.md").read_text()
    for host in CHANNELS.split():
        assert host in sets()["registries"], host
        assert f"`{host}`" in manual, host


def test_no_host_is_in_two_sets_or_twice_in_one() -> None:
    every = [host for hosts in sets().values() for host in hosts]
    assert len(every) == len(set(every))


def test_no_preset_names_forges_or_models() -> None:
    presets = [*(ROOT / "rules/presets").glob("*.rules")]
    assert presets
    for path in presets:
        text = path.read_text()
        assert "@forges" not in text, path
        assert "@models" not in text, path


def test_a_set_allows_its_hosts_and_nothing_else() -> None:
    rule = compile_text('network_rule("@registries", "https", "allow")').rules
    policy = Policy((*rule, *load(()).policy.host_sets))
    decisions = {
        host: decide(policy, Attempt(Host(host), "https", 443)).decision
        for host in ("pypi.org", "upload.pypi.org", "evil.pypi.org", "github.com")
    }
    assert decisions.pop("pypi.org") is Decision.ALLOW
    assert set(decisions.values()) == {Decision.PROMPT}
