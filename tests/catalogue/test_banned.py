"""Which prefixes are banned: what a prefix would unlock decides, in whatever spelling."""

import pytest

from execpolicy.catalogue.banned import banned
from tests.catalogue.shipped import everything

# What Codex 0.169 refuses to suggest: a bare head, or a head with one of these after it.
CODEX = {
    "bash sh zsh /bin/bash /bin/sh /bin/zsh": "-c -lc",
    "dash fish ksh": "-c",
    "cmd cmd.exe": "/c /k",
    "powershell powershell.exe": "-Command -EncodedCommand -File -c",
    "pwsh": "-Command -EncodedCommand -File -c -e -ec -f",
    "python python3": "- -c",
    "py": "-3",
    "pythonw pyw pypy pypy3": "",
    "node nodejs": "-e",
    "bun": "-e run",
    "deno": "eval",
    "perl ruby lua julia": "-e",
    "php": "-r",
    "Rscript osascript env sudo git rm": "",
}
ONLY_WITH = {"npm": "run", "pnpm": "run", "yarn": "run"}

# Heads of the same kinds, with flags that leave the program text open.
INTERPRETERS = {
    "python3.11 python3.12 python2.7 python3.13t pypy3.10 python3-dbg Python": "-u -I -m -i -E -q",
    "node20 nodejs18 NODE": "--eval -p --print -r --import -i",
    "perl5.36.0 perl5": "-ne -pe -i -pi -MFoo -w",
    "ruby3.2 ruby2.7 jruby": "-ne -r -n -W0",
    "php8.2 php7": "-a -B -f",
    "lua5.4 luajit": "-e -i -l",
    "bash5 rbash BASH": "-x -l -i -s --norc --login -euo",
    "zsh-static ash mksh csh tcsh yash ksh93": "-c -i -l",
    "tclsh8.6 wish expect": "-c -f",
    "R Rscript julia1.9 octave": "-e --eval -q",
    "guile racket sbcl clisp scheme": "-c --eval -e -l",
    "groovy scala kotlin jshell": "-e -cp",
    "ghci ocaml runghc iex elixir erl": "-e -eval --eval",
    "tsx ts-node": "-e --eval -p",
    "pwsh.exe PowerShell.exe powershell_ise": "-NoProfile -NonInteractive -enc",
    "CMD.EXE cmd": "/s /q",
    "gdb lldb": "-ex -x --args",
    "awk gawk mawk sed": "-f -e",
    "irb pry ipython bpython": "-e -c",
    "deno": "repl run",
    "osascript": "-e -l",
    "swipl gforth": "-g -t",
}
WRAPPERS = (
    "env",
    "/usr/bin/env",
    "env -i",
    "nice -n 5",
    "timeout 5",
    "timeout -k 1 5",
    "nohup",
    "stdbuf -oL",
    "setsid",
    "time -p",
    "command",
    "exec",
    "xargs",
    "xargs -n1",
    "uv run",
    "npx",
    "poetry run",
    "pipx run",
    "bundle exec",
    "docker exec web",
    "docker run alpine",
    "sudo -u me",
)
BARE = """
    gh kubectl docker npm pnpm cargo go aws gcloud az terraform helm systemctl brew apt pip uv
    /usr/bin/git ./git git.exe GIT find fd xargs parallel watch ssh make just ninja rake task
    npx pnpx bunx uvx timeout nice nohup env doas pkexec su dd shred mkfs rmdir unlink
    kitty xterm alacritty konsole foot ghostty rlwrap entr watchexec reflex nodemon chokidar air
    concurrently perf valgrind rr heaptrack multitime direnv dotenv dotenvx env-cmd chamber envchain
    summon firejail bwrap proot nsjail toolbox distrobox torsocks proxychains4 sshpass mosh pdsh
    ansible salt gosu chpst tini dumb-init mpirun srun sbatch tsp pueue retry timelimit lockf
    busybox eval source exec command tmux screen vim nvim emacs ed tar rsync gradle rm.exe
"""
OPEN = [
    "git -C x",
    "git --no-pager",
    "git -c core.pager=cat",
    "git --git-dir",
    "git -C",
    "rm -rf",
    "rm -f",
    "/bin/rm -r",
    "rm build/tmp.txt",
    "sudo -n",
    "sudo apt",
    "sudo apt install",
    "doas -u root",
    "env A=b",
    "env A=b git push",
    "A=b git push",
    "npm --prefix x run",
    "npm run-script",
    "npm exec",
    "npm exec --",
    "pnpm exec",
    "pnpm dlx",
    "yarn dlx",
    "docker run",
    "docker run -it",
    "docker run alpine",
    "docker exec",
    "docker exec web",
    "docker compose",
    "docker compose exec",
    "docker compose -f x.yml",
    "kubectl exec",
    "kubectl -n x",
    "kubectl exec pod -- bash",
    "uv run",
    "uv run --with x",
    "uv run python",
    "uv run -m",
    "poetry run",
    "go run",
    "ssh host",
    "ssh host ls",
    "find .",
    "find . -name x",
    "find . -exec",
    "find . -exec rm",
    "xargs rm",
    "xargs -I{} sh",
    "make -C x",
    "make -j8",
    "timeout 5",
    "timeout -s",
    "nice -n",
    "git -c alias.x=!sh x",
    "pipenv",
    "pipenv run python",
    "direnv exec . bash",
    "tmux new",
    "tmux split-window -h",
    "tmux send-keys -t x",
    "screen -dmS x",
    "asciinema rec",
    "perf record -g",
    "rr record",
    "direnv exec .",
    "op run --",
    "aws-vault exec p --",
    "kubectl exec pod --",
    "docker compose exec web",
    "gcloud compute ssh x",
    "fly ssh console",
    "vagrant ssh",
    "flatpak run",
    "nix-shell -p git",
    "gosu me",
    "arch -arm64 bash",
    "yarn node",
    "python3 -c x",
    "python3 -c os.abort",
    "python3 -m",
    "python3 -m pdb",
    "python3 -m code",
    "python3 -X dev",
    "python3 -",
    "python3 /dev/stdin",
    "python3 /tmp/x.py",
    "bash -c ls",
    "bash -lc ls",
    "node -e x",
    "java -jar",
    "git push --force",
    "git clean",
    "powershell x.y",
    "cmd /c dir",
    "command bash",
    "busybox sh",
    "/usr/local/bin/python3.12 -c",
    "C:\\Windows\\System32\\cmd.exe /c",
    "-c",
    "-- git",
]


def _relatives() -> "list[str]":
    heads = [h for names in (*CODEX, *INTERPRETERS) for h in names.split()]
    plain = [h for h in heads if "/" not in h]
    found = [f"{h} {f}" for ns, fs in INTERPRETERS.items() for h in ns.split() for f in fs.split()]
    found += [f"{place}/{head}" for place in ("/usr/bin", "/opt/x/bin", ".") for head in plain]
    found += [
        f"{wrap} {head}" for wrap in WRAPPERS for head in ("python3", "bash", "node -e", "rm")
    ]
    found += [f"{head}.exe" for head in ("python", "node", "bash", "perl", "ruby", "sudo", "git")]
    return list(dict.fromkeys([*heads, *found, *BARE.split(), *OPEN]))


ALL_OF_CODEX = [
    *(h for heads in CODEX for h in heads.split()),
    *(f"{h} {t}" for heads, tails in CODEX.items() for h in heads.split() for t in tails.split()),
    *(f"{head} {tail}" for head, tail in ONLY_WITH.items()),
]
RELATIVES = _relatives()


def judged(prefix: str) -> "str | None":
    return banned(prefix.split(), everything()[0])


def test_there_are_enough_of_them() -> None:
    assert len(ALL_OF_CODEX) == 88
    assert len(RELATIVES) > 300


@pytest.mark.parametrize("prefix", ALL_OF_CODEX)
def test_what_codex_bans_is_banned(prefix: str) -> None:
    assert judged(prefix)


def test_relatives_are_banned() -> None:
    assert [prefix for prefix in RELATIVES if not judged(prefix)] == []


@pytest.mark.parametrize(
    "prefix",
    """
    git push | git commit | git fetch | git -C sub push | gh pr create | glab mr create
    npm run build | npm test | npm install | npm ci | npm run test:unit | pnpm run lint
    pnpm install | yarn install | yarn run build | bun test | bun run build | deno task dev
    npx eslint | npx tsc | pnpm exec eslint
    docker compose up | docker build | docker exec web pytest | kubectl apply | helm upgrade
    uv run pytest | uv run --frozen pytest | uv sync | poetry run pytest
    pipenv run pytest | bundle exec rspec | hatch run test
    cargo test | cargo build | cargo run | go test | go build | terraform plan | terraform apply
    make test | make -j8 test | just test | ninja all | rake spec | gradle build | ./gradlew test
    pytest | tox | mypy | ruff check | eslint | tsc | jest | rspec | mvn test | black
    python3 -m pytest | python3 -m mypy | python3 -m build | python3 scripts/gen.py
    node scripts/build.js | bash scripts/test.sh | ./scripts/test.sh | deno run main.ts
    timeout 5 git push | nice pytest | command git push | mkdir | cp | touch | brew install
    curl https://api.example.com | wget https://example.com/a | mytool | ./mytool | mytool-2
    """.replace("\n", "|").split("|"),
    ids=str.strip,
)
def test_what_people_want_to_allow_is_not(prefix: str) -> None:
    assert not prefix.strip() or judged(prefix) is None


@pytest.mark.parametrize(
    ("prefix", "says"),
    [
        ((), "it is empty: it would allow everything"),
        (("",), "is not a plain word"),
        (("git", "push;x"), "`push;x` is not a plain word"),
        (("git push",), "`git push` is not a plain word"),
        (("git", "$x"), "`$x` is not a plain word"),
        (("git", "a\nb"), r"`a\nb` is not a plain word"),
        (("git", "\u202e"), r"`\u202e` is not a plain word"),
        (("git",), "`git` alone unlocks all of its subcommands"),
        (("git", "-C"), "`-C` still waits for its value"),
        (("amd-smi", "list", "--gpu"), "`--gpu` still waits for its value"),  # one or more of them
        (("rm", "x"), "`rm` removes what follows it"),
        (("sudo",), "`sudo` runs what follows it"),
        (("A=b", "git", "push"), "`A=b` is an assignment in front of a command"),
        (("python3", "-c", "x"), "`python3 -c` runs any program text that it is given"),
        (("timeout", "5", "bash"), "`bash` runs what follows it"),
        (("git", "push", "--force"), "`git push --force` may destroy, or act with other rights"),
        (("git", "push", "origin", "-d"), "`git push -d` may destroy, or act with other rights"),
        (("tar", "--remove-files"), "`tar --remove-files` may destroy, or act with other rights"),
        (("find", "."), "`find` runs whatever command its option `-exec` names"),
        (("--",), "it leaves open which command runs"),
    ],
)
def test_the_reason_says_what_is_wrong(prefix: "tuple[str, ...]", says: str) -> None:
    assert says in (banned(prefix, everything()[0]) or "")


def test_wrappers_nest_to_a_bound() -> None:
    assert banned(["nice"] * 50 + ["pytest"], everything()[0]) == (
        "it leaves open which command runs"
    )
