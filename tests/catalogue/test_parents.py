"""A subcommand that the catalogue does not name never passes as an operand of a parent."""

import pytest

from execpolicy.catalogue import read
from tests.catalogue.shipped import RULES, everything, programs

HARMLESS = {
    # A word that is no subcommand is a name to look for.
    "asdf list",
    "asdf plugin list",
    "rvm list",
    "mise settings",
    "rtx settings",
    # Their unknown subcommands only get help shown.
    "flux export images",
    "flux export sources",
    "flux get images",
    "flux get sources",
    "flux tree",
    "fly version",
    "flyctl version",
    "git lfs ext",
    "git-lfs ext",
    "istioctl x describe",
    "k0s kubectl top",
    "k3d version",
    "k3s kubectl top",
    "kubectl top",
    "microk8s kubectl top",
    "nmcli d lldp",
    "nmcli dev lldp",
    "nmcli device lldp",
    "oc top",
    "packer plugins",
    "terraform providers",
    "tofu providers",
}
NAMES = {name for path in RULES for program in programs(path) for name in program.names}
PARENTS = sorted(NAMES & {name.rpartition(" ")[0] for name in NAMES})


@pytest.mark.parametrize("path", [name for name in PARENTS if "{" not in name])
def test_an_unknown_subcommand_asks(path: str) -> None:
    reading = read((*path.split(), "zzq", "x"), everything()[0])
    alone = read((*path.split(), "zzq"), everything()[0])
    passes = {reading.strongest, alone.strongest} & {None, "read"}
    assert not passes or path in HARMLESS, (reading.effects, alone.effects)
