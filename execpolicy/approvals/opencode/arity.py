"""How many words of a command opencode remembers when the answer is "always".

The table is a fact about opencode 1.18 (`packages/opencode/src/permission/arity.ts`): a program
that it does not know is remembered by its first word, `sudo` and `bash` too. Our own widths come
from the catalogue and never from here.
"""

from collections.abc import Sequence

_ONE = """
    cat cd chmod chown cp echo env export grep kill killall ln ls mkdir mv ps pwd rm rmdir sleep
    source tail touch unset which
"""
_TWO = """
    bazel brew bun cargo cdk cf cmake composer consul crictl deno docker eksctl firebase flyctl git
    go gradle helm heroku hugo ip kind kubectl kustomize make mc minikube mongosh mysql mvn ng npm
    nvm nx openssl pip pipenv pnpm poetry podman psql pulumi pyenv python rake rbenv redis-cli
    rustup serverless skaffold sls sst swift systemctl terraform tmux turbo ufw vault vercel volta
    wp yarn
"""
_THREE = """
    aws; az; bun run; bun x; cargo add; cargo run; consul kv; deno task; doctl; docker builder;
    docker compose; docker container; docker image; docker network; docker volume; eksctl create;
    gcloud; gh; git config; git remote; git stash; ip addr; ip link; ip netns; ip route;
    kind create; kubectl kustomize; kubectl rollout; mc admin; npm exec; npm init; npm run;
    npm view; openssl req; openssl x509; pnpm dlx; pnpm exec; pnpm run; podman container;
    podman image; pulumi stack; sfdx; terraform workspace; vault auth; vault kv; yarn dlx; yarn run
"""
ARITY = {
    **dict.fromkeys(_ONE.split(), 1),
    **dict.fromkeys(_TWO.split(), 2),
    **{" ".join(entry.split()): 3 for entry in _THREE.split(";")},
}


def prefix(words: Sequence[str]) -> tuple[str, ...]:
    """The words that are remembered, by the longest entry of the table that fits.

    >>> prefix(["npm", "run", "dev"]), prefix(["sudo", "rm", "x"])
    (('npm', 'run', 'dev'), ('sudo',))
    """
    for length in range(len(words), 0, -1):
        arity = ARITY.get(" ".join(words[:length]))
        if arity is not None:
            return tuple(words[:arity])
    return tuple(words[:1])


def pattern(words: Sequence[str]) -> str:
    """The pattern that "always" keeps for a command."""
    return " ".join((*prefix(words), "*"))
