"""Calls that lean on what a host keeps from one to the next, for a day of their own.

Each line is a command, or a file tool: `read PATH`, `write PATH TEXT`, `edit PATH OLD NEW`; a
number of milliseconds in front is the time that the host gives it.
"""

from typing import Any

Row = dict[str, Any]

DIRECTORIES = """
pwd | sed 's,.*/,,'
cd sub && pwd | sed 's,.*/,,'
pwd | sed 's,.*/,,'
ls
cd deep && touch made-here && ls
pwd | sed 's,.*/,,'
cd ../.. && pwd | sed 's,.*/,,'
pwd | sed 's,.*/,,'
(cd sub && pwd | sed 's,.*/,,'); pwd | sed 's,.*/,,'
cd nowhere; echo $?
pwd | sed 's,.*/,,'
pushd sub > /dev/null && pwd | sed 's,.*/,,' && popd > /dev/null
cd sub; false
pwd | sed 's,.*/,,'
cd "$(git rev-parse --show-toplevel)" && pwd | sed 's,.*/,,'
cd 'with blank' && pwd | sed 's,.*/,,' && ls
cd .. ; pwd | sed 's,.*/,,'
cd link && pwd -P | sed 's,.*/,,'
cd "$OLDPWD"; cd "$(git rev-parse --show-toplevel)"; pwd | sed 's,.*/,,'
mkdir -p new/er && cd new/er && echo x > f && cd ../.. && cat new/er/f
rm -r new; ls -d new 2>&1 | grep -c 'No such'
cd /tmp; pwd
pwd | sed 's,.*/,,'
cd "$(git -C /nowhere rev-parse --show-toplevel 2>/dev/null || echo .)"; echo $?
"""
BACKGROUND = """
sleep 311 > /dev/null 2>&1 & echo started
pgrep -fc '^sleep 311'
pkill -f '^sleep 311'; echo $?
sleep 0.3; pgrep -fc '^sleep 311'
nohup sleep 312 > /dev/null 2>&1 & echo $! > number
kill -0 $(cat number); echo $?
ps -o args= -p $(cat number)
kill $(cat number); echo $?
sleep 0.3; kill -0 $(cat number) 2> /dev/null; echo $?
(sleep 313 > /dev/null 2>&1 &); echo left
pgrep -fc '^sleep 313'; pkill -9 -f '^sleep 313'; echo $?
(sleep 1; echo late > late) > /dev/null 2>&1 & echo now
sleep 1.5; cat late
setsid sleep 314 > /dev/null 2>&1 & echo apart
sleep 0.2; pkill -f '^sleep 314'; echo $?
sleep 0.2 & wait; echo waited
bash -c 'sleep 315 > /dev/null 2>&1 & disown'; pgrep -fc '^sleep 315'
pkill -f '^sleep 315'; sleep 0.2; pgrep -fc '^sleep 315'
(bash ends.sh > /dev/null 2>&1 &); sleep 0.4; test -s number; echo $?
kill -TERM $(cat number); sleep 0.5; cat stopped
python3 -c 'import time; time.sleep(316)' > /dev/null 2>&1 & echo $! > number
kill -STOP $(cat number); sleep 0.2; ps -o stat= -p $(cat number) | cut -c1
kill -CONT $(cat number); kill $(cat number); sleep 0.2; ps -o stat= -p $(cat number) | wc -l
jobs | wc -l
mkfifo pipe; (echo through > pipe &) ; cat pipe; rm pipe
flock lock true; echo $?
(flock lock sleep 2 > /dev/null 2>&1 &); sleep 0.3; flock -n lock true; echo $?
sleep 2; flock -n lock true; echo $?
"""
SERVERS = """
(python3 -m http.server 4171 --bind 127.0.0.1 > /tmp/served.log 2>&1 &); sleep 1
curl -s localhost:4171/a.txt
curl -s localhost:4171/a.txt
curl -s -o /tmp/got localhost:4171/sub/b.txt; cat /tmp/got
grep -c GET /tmp/served.log
python3 -c 'import urllib.request as u; print(u.urlopen("http://127.0.0.1:4171/a.txt").read())'
node -e 'fetch("http://127.0.0.1:4171/a.txt").then(r => r.text()).then(console.log)'
pkill -f '[h]ttp.server 4171'; sleep 0.4; curl -s localhost:4171/a.txt; echo $?
(node server.mjs > /dev/null 2>&1 &); sleep 1; curl -s 127.0.0.1:4172
curl -s 127.0.0.1:4172; curl -s 127.0.0.1:4172
kill $(pgrep -f '^node server.mjs'); sleep 0.4; curl -s 127.0.0.1:4172; echo $?
(python3 unix.py > /dev/null 2>&1 &); sleep 0.6; curl -s --unix-socket /tmp/own.sock http://x/
curl -s --unix-socket /tmp/own.sock http://x/ | wc -c
pkill -f '^python3 unix.py'; rm -f /tmp/own.sock; echo $?
(node server.mjs > /tmp/node.log 2>&1 &); sleep 0.8
node server.mjs 2>&1 | grep -o EADDRINUSE | head -1
pkill -f '^node server.mjs'; echo $?
python3 -c 'import socket as s; x = s.create_server(("", 0)); print(x.fileno() > 2)'
timeout 1 python3 -m http.server 4173 --bind 127.0.0.1 > /dev/null 2>&1; echo $?
curl -s -m 2 localhost:4174; echo $?
"""
TEMPORARY = """
echo one > /tmp/one
read /tmp/one
write /tmp/two two
cat /tmp/two
edit /tmp/two two three
cat /tmp/two
mkdir -p /tmp/some && echo x > /tmp/some/x && ls /tmp/some
read /tmp/some/x
d=$(mktemp -d) && echo $d > /tmp/name && echo in > $d/f && cat $d/f
cat $(cat /tmp/name)/f
f=$(mktemp) && echo $f | cut -c1-5 && rm $f
python3 -c 'import tempfile; print(tempfile.gettempdir())'
node -p 'require("os").tmpdir()'
ls -ld /tmp | cut -c1-10
ln -s /tmp/one linked && cat linked && rm linked
cp a.txt /tmp/copied && cmp a.txt /tmp/copied; echo $?
mv /tmp/copied moved.txt && cat moved.txt && rm moved.txt
write sub/by-tool.txt text
cat sub/by-tool.txt
echo more >> sub/by-tool.txt
read sub/by-tool.txt
edit sub/by-tool.txt more less
tail -1 sub/by-tool.txt
chmod 600 sub/by-tool.txt; stat -c %a sub/by-tool.txt
read sub/by-tool.txt
rm sub/by-tool.txt; test -e sub/by-tool.txt; echo $?
python3 -c 'open("/tmp/big", "w").write("x" * 10**7)'; stat -c %s /tmp/big
rm -r /tmp/some /tmp/big; ls /tmp/some 2>&1 | grep -c 'No such'
sort -T /tmp a.txt | head -1
rm -f /tmp/one /tmp/two /tmp/got; echo $?
"""
ENDS = """
true
false
exit 3
echo out; echo err >&2; exit 2
bash -c 'kill -SEGV $$'; echo $?
bash -c 'exit 300'; echo $?
no-such-program
ls no-such-file
./script one two
./not-executable 2>&1 | grep -c denied
timeout 0.5 sleep 9; echo $?
timeout -s KILL 0.5 sleep 9; echo $?
1500 echo before; sleep 20; echo after
echo still here
1500 trap 'echo caught > caught; exit' TERM; for i in $(seq 200); do sleep 0.1; done
set -e; false; echo not here
set -o pipefail; false | true; echo $?
false | true; echo $?
trap 'echo bye' EXIT; echo hi
exec true
bash -c 'trap "" INT; kill -INT $$; echo lives'
python3 -c 'import sys; sys.exit(4)'
python3 -c 'raise ValueError("x")' 2>&1 | tail -1
node -e 'process.exit(5)'
bash -n broken.sh 2>&1 | wc -l
set -u; echo $no_such_variable
return 7 2> /dev/null; echo $?
command -v cat | wc -l
"""
OUTPUT = """
head -c 30000000 /dev/zero | wc -c
seq 1 4000000 | tail -c 30000000 | md5sum
seq 1 4000000 > numbers; tail -1 numbers; rm numbers
head -c 30000000 /dev/zero | tr '\\0' x | fold -w 99 | tail -1
yes | head -3
seq 1 3000 | wc -l
printf 'a\\tb\\n'
printf 'é ü 漢 🙂\\n'
printf '\\033[31mred\\033[0m\\n'
printf 'no end'
printf 'a\\r\\nb\\r\\n' | od -An -c | head -2
printf '\\377\\376' | od -An -tx1
echo err >&2
for i in 1 2 3; do echo out $i; echo err $i >&2; done 2>&1 | sort
echo a > /dev/stdout
echo b > /dev/stderr
echo c | tee /dev/stderr 2> /dev/null
python3 -c 'print("x" * 200000)' | wc -c
python3 -u -c 'import time; print(1); time.sleep(0.2); print(2)'
diff <(echo a) <(echo b)
cat /dev/null
ls --color=auto a.txt
"""
INPUT = """
cat
read x; echo $?
python3 -c 'import sys; print(repr(sys.stdin.read()))'
test -t 0; echo $?
test -t 1; echo $?
tty; echo $?
stty size 2>&1 | wc -l
cat <<< here
cat <<'END'\\na $b\\nEND
echo piped | (read x; echo "got $x")
seq 3 | while read x; do echo "line $x"; done
ls *.txt | xargs -n1 echo file
python3 -c 'print(input())' <<< typed
cat < a.txt
exec 9< a.txt; cat <&9
exec 8> eight; echo x >&8; cat eight; rm eight
script -qec 'test -t 0 && echo terminal' /dev/null < /dev/null | tr -d '\\r'
yes no | head -1
node -e 'process.stdin.on("data", d => console.log(String(d)))' < a.txt
mail=1 bash -c 'echo $mail'
"""
KEPT = """
export KEPT=1; echo $KEPT
echo ${KEPT:-gone}
alias kept='echo kept'; true
kept 2>&1 | grep -c 'not found'
kept_function() { echo f; }; kept_function
kept_function 2>&1 | grep -c 'not found'
umask
umask 077; touch tight; stat -c %a tight; rm tight
umask
set -o noclobber; echo x > once; echo y > once; cat once
echo z > once; cat once; rm once
shopt -s nullglob 2> /dev/null; echo *.none
A=1 B=2 python3 -c 'import os; print(os.environ["A"], os.environ["B"])'
PATH=$PWD/bin:$PATH mine
LC_ALL=C sort <<< $'b\\na\\nB'
id -u
env | grep -c '^EXECPOLICY_'
ps -o comm= -p $$ | wc -l
python3 -c 'import multiprocessing as m; print(sum(m.Pool(2).map(abs, [-1, -2])))'
python3 -c 'import os, socket; a, b = socket.socketpair(); a.send(b"x"); print(b.recv(1))'
python3 -c 'import mmap; m = mmap.mmap(-1, 9); m.write(b"x"); print(len(m))'
git status --short | wc -l
git add -A && git commit -qm work && git log --oneline | wc -l
git stash list | wc -l
find . -name '*.txt' -not -path './.git/*' | sort
tar c a.txt | tar t
gzip -c a.txt | gunzip
touch -d 2020-01-01 old; stat -c %Y old; rm old
stat -c %h a.txt; ln a.txt hard; stat -c %h a.txt; rm hard
python3 -c 'import sqlite3 as s; print(s.connect("d.db").execute("select 1").fetchone())'; rm d.db
"""
FILES = {
    "a.txt": "hello\n",
    "sub/b.txt": "below\n",
    "sub/deep/c.txt": "deep\n",
    "with blank/d.txt": "blank\n",
    "script": '#!/bin/bash\necho script "$@"\n',
    "bin/mine": "#!/bin/sh\necho mine\n",
    "not-executable": "echo no\n",
    "ends.sh": """\
trap 'echo stopped > stopped; exit' TERM
echo $$ > number
while :; do sleep 0.1; done
""",
    "broken.sh": "if true; then\n",
    "server.mjs": """\
import http from "node:http";
let count = 0;
http.createServer((_, answer) => answer.end(`${++count}\\n`)).listen(4172, "127.0.0.1");
""",
    "unix.py": """\
import http.server, os, socketserver
class Server(socketserver.UnixStreamServer):
    def get_request(self):
        return self.socket.accept()[0], ("", 0)
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"x\\n")
Server("/tmp/own.sock", Handler).serve_forever()
""",
}
_ALONE = (DIRECTORIES, TEMPORARY, ENDS, OUTPUT, INPUT, KEPT)
_LASTING = (BACKGROUND, SERVERS)


def rows(*, lasting: bool = True) -> list[Row]:
    """All calls in their order; those too that need what an earlier one left running."""
    groups = (*_ALONE, *_LASTING) if lasting else _ALONE
    lines = [line for each in groups for line in each.strip().splitlines()]
    return [_row(f"same-{number:03}", line) for number, line in enumerate(lines, 1)]


def _row(name: str, line: str) -> Row:
    kind, _, rest = line.partition(" ")
    words = rest.split()
    if kind == "read" and len(words) == 1:
        return {"id": name, "kind": "read", "path": words[0]}
    if kind == "write":
        return {"id": name, "kind": "write", "path": words[0], "content": f"{words[1]}\n"}
    if kind == "edit":
        old, new = words[1:]
        return {"id": name, "kind": "edit", "path": words[0], "old": old, "new": new, "line": old}
    if kind.isdigit():
        return {"id": name, "kind": "shell", "command": rest, "timeout": int(kind)}
    return {"id": name, "kind": "shell", "command": line.replace("\\\\n", "\n")}
