"""Random scripts: grown from the grammar, and spliced from commands as agents write them.

Every simple command of a grown script is one of the names of `NAMES` with a first word of its
own (`k7`), so that a command that ran can be found in the text.
"""

# ruff: noqa: E501

from random import Random

NAMES = ("A", "B", "C", "ls", "git")
_BLANKS = (" ", " ", " ", "  ", "\t", " \\\n ", " \\\n")
_ENDS = (
    "; ",
    "\n",
    " ;",
    "\n\n",
    " # k'(\"$(B\n",
    "\n# it's `B`\n",
    " & ",
    " && ",
    " || ",
    "\t;\n",
)
_PLAIN = ("a", "-x", "--y=z", "b.c", "/d/e", "p:q", "1", "a@b", "%s", "x,y", "é", "a#b", "]", "+")
_QUOTED = (
    "'a b'", '"c d"', "''", '""', "'it'\\''s'", '"a\\b"', '"\\$v"', "'$(B k)'", '"`:`"', "\\;",
    "\\ ", "'a'\"b\"c", "$'\\x41\\n'", "$'it\\'s'", '$"hi"', "'\"'", '"\'"', "\\\\", '"\\\\"',
    "'a\nb'", '"a\n#b"', "\\#x", "'{a,b}'", '"*"', "\\*", "a\\\nb", '"a\\\nb"', "\\~", "'`'",
    "$'\\101\\t\\e'", '"!"', "$'a\\\\'", '"$"', "$", "a$", "x'y'z", "\\'", '\\"',
)  # fmt: skip
_COMPUTED = (
    "$v", '"$v"', "${v}", '"${v}"', "${#v}", "$#", "$?", '"$@"', '"$*"', "$@", "$1", '"$1"', "$!",
    "${v:-d}", '"${v:-d e}"', "${u:=q}", "${v:0:1}", "${v##*a}", "${v%1*}", "${v/1/2}", "${v^^}",
    "${v@Q}", "$e", '"$e"', "$g", '"$g"', "${arr[0]}", '"${arr[@]}"', "${#arr[@]}", "$((1+2))",
    "$((n*2))", '"$((n+1))"', "$[1+1]", "a$v", '"a$v"', "a${e}", "$v$e", "'a'$v", "x\"$v\"y",
    "${v:+w}", "$n", "${!v*}", "${arr[1]}z", "${v:-'q r'}", '"${v:-"a b"}"', "$w", '"$w"', "${w}x",
    '"$HOME"/a', "~/a", "~", "~nobody", "a~", "x=~/b", "~+",
)  # fmt: skip
_GLOBS = (
    "*", "*.txt", "./*", "s?b", "[ab].txt", "sub/*", "no*ne", "a[", "sub/[!x]*", "./sub//*", "?",
    "\"$v\"*", "'a'*", "*\"b\"", "[a'-'b]*", "a\\**", "sub/./*",
)  # fmt: skip
_BRACES = (
    "{a,b}", "x{a,b}y", "{1..3}", "{3..1}", "{a..c}", "{a,b}{c,d}", "{a,}", "{}", "{a}", "{a,b",
    "a}", "{{a,b},c}", "{01..03}", "{1..6..2}", "{a,'b c'}", "{a,$v}", "{,a}", "'{a,b}'{c,d}",
    "{a,b}*", "{{a,b}}", "x{,y,z}", "{-2..2}", "{1..2}{a}", "{a,\\,}", "{\"a,b\",c}", "{a..c..2}",
    "{$v,b}", "a{1..x}b{c,d}", "{a,b}'{'", "${v}{a,b}", "{1..1}", "{a,{b,c}d}e", "pre{~,x}",
    "{a,b}$e", "{'a',b}", "{*.txt,q}", "{5..5..0}", "{+1..2}", "{1,2}..3", "{a..}", "{..a,b}",
)  # fmt: skip


class ScriptMaker:
    """Grows one script from a source of randomness."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.number = 0
        self.bodies: list[str] = []

    def script(self) -> str:
        self.budget = self.random.randint(2, 9)
        parts = [self.line() for _ in range(self.random.randint(1, 4))]
        return "\n".join(parts) + self.random.choice(("", "\n"))

    def line(self) -> str:
        """Commands and, behind their newline, the bodies of their heredocs."""
        outer, self.bodies = self.bodies, []
        text = self.listed(2) + self.flushed()
        self.bodies = outer
        return text

    def flushed(self) -> str:
        bodies, self.bodies = self.bodies, []
        return "".join("\n" + body for body in bodies)

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def blank(self) -> str:
        return self.random.choice(_BLANKS)

    def listed(self, depth: int) -> str:
        """One command or more with what separates them."""
        text = self.pipeline(depth)
        for _ in range(self.random.choice((0, 0, 1, 2))):
            end = self.random.choice(_ENDS)
            if "\n" in end and self.bodies:
                end = self.flushed() + "\n"
            text += end + self.pipeline(depth)
        return text

    def closed(self, depth: int) -> str:
        """A list that can stand before a reserved word."""
        text = self.listed(depth)
        if self.bodies:
            return text + self.flushed() + "\n"
        return text + self.pick("; ", "\n", " ;\n", " & ")

    def pipeline(self, depth: int) -> str:
        text = self.pick("", "", "", "", "! ", "time ", "time -p ") + self.command(depth)
        while self.random.random() < 0.15:
            text += self.pick(" | ", "|", " |& ", " | \\\n", " |\n" if not self.bodies else "|")
            text += self.command(depth)
        return text

    def command(self, depth: int) -> str:
        self.budget -= 1
        if depth <= 0 or self.budget < 0 or self.random.random() < 0.55:
            return self.simple(depth)
        maker = self.random.choice(self.COMPOUNDS)
        text = maker(self, depth - 1)
        if self.random.random() < 0.25:
            text += " " + self.redirect(depth - 1)
        return text

    def name(self) -> str:
        self.number += 1
        name = self.random.choice(NAMES)
        spelled = (name, name, name, f"'{name}'", f'"{name}"', f"\\{name}", f"{name}''")
        return f"{self.random.choice(spelled)}{self.blank()}k{self.number}"

    def simple(self, depth: int) -> str:
        parts = [self.setting(depth) for _ in range(self.random.choice((0, 0, 0, 0, 1)))]
        if self.random.random() < 0.06:
            parts.append(self.redirect(depth))
        if self.random.random() < 0.12:
            return self.pick(*_STATEMENTS)
        parts.append(self.name())
        for _ in range(self.random.choice((0, 1, 1, 2, 3))):
            parts.append(self.redirect(depth) if self.random.random() < 0.15 else self.word(depth))
        return self.blank().join(parts)

    def setting(self, depth: int) -> str:
        return self.pick("x=", "y+=", "z=", "n=") + self.pick(
            "1", "", "'a b'", self.word(depth - 1)
        )

    def word(self, depth: int) -> str:
        """A word, sometimes of several parts."""
        text = self.part(depth)
        while self.random.random() < 0.2:
            text += self.part(depth)
        return text

    def part(self, depth: int) -> str:
        kind = self.random.random()
        for share, choices in (
            (0.25, _PLAIN), (0.45, _QUOTED), (0.65, _COMPUTED), (0.72, _GLOBS), (0.8, _BRACES),
        ):  # fmt: skip
            if kind < share:
                return self.random.choice(choices)
        if depth <= 0 or self.budget < 0:
            return self.random.choice(_QUOTED)
        return self.substitution(depth - 1)

    def substitution(self, depth: int) -> str:
        self.budget -= 1
        outer, self.bodies = self.bodies, []
        shape = self.random.choice(_SUBSTITUTIONS)
        if "`" in shape:
            inner = f"B k{self.number + 1}"
            self.number += 1
            inner += self.pick("", " '\\\\'", " \\$v", ' "$v"', "; C k", " | A k")
        else:
            inner = self.listed(depth)
            inner += self.flushed() + "\n" if self.bodies else self.pick("", " ", "\n", " # )\n")
        self.bodies = outer
        if "\n" in inner and outer:
            inner = f"B k{self.number}"
        return shape.replace("@", inner)

    def redirect(self, depth: int) -> str:
        kind = self.random.random()
        if kind < 0.25 and depth >= 0:
            return self.heredoc(depth)
        if kind < 0.35:
            return self.pick("<<< ", "<<<") + self.word(depth - 1)
        if kind < 0.42 and depth > 0:
            return "< <(" + self.listed(depth - 1) + self.flushed() + "\n)"
        return self.pick(
            "> o1", ">>o2", "2>&1", ">/dev/null", "2> /dev/null", "</dev/null", "&>o3", ">|o4",
            "<>o5", "{fd}>o6", "3>o7", ">&2", "2>&-", "> 'o 8'", '>"o$n"', "&>>o9", "< a.txt",
        )  # fmt: skip

    def heredoc(self, depth: int) -> str:
        end = self.pick("E", "EOF", "E_1", "-")
        dash = self.pick("", "", "-")
        quoted = self.random.random() < 0.4
        lines = [self.pick("text", "it's", '"q"', "B k0 $", "\\$v", "a\\\\", "  E", "${v}", "#")]
        for _ in range(self.random.randint(0, 2)):
            lines.append(self.pick(*_LINES) if self.random.random() < 0.7 or depth <= 0 else "$(")
            if lines[-1] == "$(":
                self.number += 1
                lines[-1] = self.pick("$(@)", "`@`", "${u:-$(@)}", 'x"$(@)"y', "'$(@)'").replace(
                    "@", f"B k{self.number}"
                )
        if not quoted:
            lines = [line for line in lines if line != "'`'"]
        tab = "\t" if dash else ""
        self.bodies.append("".join(f"{tab}{line}\n" for line in lines) + tab + end)
        shown = self.random.choice((f"'{end}'", f'"{end}"', f"\\{end}")) if quoted else end
        return f"<<{dash}{self.pick('', ' ')}{shown}"

    def _if(self, depth: int) -> str:
        text = f"if {self.closed(depth)}then {self.closed(depth)}"
        if self.random.random() < 0.3:
            text += f"elif {self.closed(depth)}then\n{self.closed(depth)}"
        if self.random.random() < 0.4:
            text += f"else {self.closed(depth)}"
        return text + "fi"

    def _for(self, depth: int) -> str:
        words = " ".join(self.word(depth) for _ in range(self.random.randint(0, 3)))
        head = self.pick(f"for w in {words};", f"for w in {words}\n", "for w;", "for w")
        if "\n" in head and self.bodies:
            head = "for w;"
        if self.random.random() < 0.15:
            return f"{head.rstrip()}{self.pick(' ', '; ')}{{ {self.closed(depth)}}}".replace(
                ";;", ";"
            )
        return f"{head} do {self.closed(depth)}done"

    def _arithmetic_for(self, depth: int) -> str:
        return f"for ((i=0; i<2; i++)){self.pick(';', '', chr(10))} do {self.closed(depth)}done"

    def _while(self, depth: int) -> str:
        head = self.pick("while ! A k", "until A k", "while read -r l")
        self.number += 1
        return f"{head}; do {self.closed(depth)}break; done"

    def _case(self, depth: int) -> str:
        text = f"case {self.word(depth)} in" + self.pick(" ", "\n" if not self.bodies else " ")
        for _ in range(self.random.randint(1, 2)):
            pattern = self.pick("a", "*", "a|b", "(x|*)", '"$v"', "[ab]*", "(esac)", "a\\|b", "'*'")
            body = self.pick("", self.listed(depth))
            body += self.flushed() + "\n" if self.bodies else ""
            text += f"{pattern}) {body}{self.pick(';;', ' ;;', ';&', ' ;;&', chr(10) + ';;')} "
        return text + self.pick("", f"*) {self.closed(depth)}") + "esac"

    def _group(self, depth: int) -> str:
        return f"{{ {self.closed(depth)}}}"

    def _subshell(self, depth: int) -> str:
        inner = self.listed(depth)
        inner += self.flushed() + "\n" if self.bodies else ""
        return f"({self.pick('', ' ')}{inner}{self.pick('', ' ', ';')})".replace("((", "( (")

    def _function(self, depth: int) -> str:
        name = self.pick("f", "f2", "A")
        head = self.pick(f"{name}() ", f"{name} ( )\n" if not self.bodies else f"{name}() ")
        if self.random.random() < 0.2:
            head = f"function {name} "
        return f"{head}{{ {self.closed(depth)}}}; {name} k0 q"

    def _conditional(self, depth: int) -> str:
        test = self.pick(
            "-f a.txt", "a == a*", "$v = x", "! -e no", "a =~ ^(a|b)$", "-n $v && ( a < b )",
            "1 -lt 2", "-z $e || x", "$(B k0) == *", "\"$v\" != 'q r'", "a =~ [[:alpha:]]+\\ ?",
            "$n -eq 1", "x == @(x|y)",
        )  # fmt: skip
        return f"[[ {test} ]] {self.pick('&&', '||')} {self.simple(depth)}"

    def _arithmetic(self, depth: int) -> str:
        test = self.pick("1+1", "n++", "n > 0 && n < 5", "n = 3", "$n + $#", "n<<2", "-1")
        return f"(({self.pick('', ' ')}{test} )) {self.pick('&&', '||', ';')} {self.simple(depth)}"

    def _coproc(self, depth: int) -> str:
        return self.pick("coproc ", "coproc N ") + f"{{ {self.closed(depth)}}}"

    def _select(self, depth: int) -> str:
        return f"select w in a b; do {self.closed(depth)}break; done"

    COMPOUNDS = (
        _if, _for, _arithmetic_for, _while, _case, _group, _subshell, _function, _conditional,
        _arithmetic, _coproc, _select,
    )  # fmt: skip


_SUBSTITUTIONS = (
    "$(@)", '"$(@)"', "$( @)", "a$(@)b", "'a'$(@)'b'", '"a $(@) b"', "${u:-$(@)}", '"${u:-$(@)}"',
    "${v/$(@)/x}", "$(( 1 + 0$(@) ))", "<(@)", ">(@)", '"$v"<(@)x', "~a$(@)b", "${arr[0$(@)]}",
    "${v:0$(@)}", "$(@)$(:)", '"`@`"', "`@`", "a`@`b", '"${u:-`@`}"', "\"'$(@)'\"", "${u:+$(@)}",
    "${v#$(@)}", "{a,$(@)}", "$(echo \"$(@)\")", "${u:-\"$(@)\"}", "${u-'x'$(@)}", "$(@)*",
)  # fmt: skip
_LINES = (
    "text $v",
    "a b",
    "",
    "don't",
    "'`'",
    "\\`x\\`",
    "$",
    "}",
    "EOF2",
    "x \\",
    "\\\\",
    "$((n+1))",
)
_STATEMENTS = (
    "x=1", "v=lit", "v=$w", "n=5", "arr=(a 'b c' $v)", "export q=1", "arr[1]=z", "arr+=(q)", "e=",
    "shift", ":", "true", "false", "set -e", "local_=1", "unset x", "echo hi", "read -r r <<< q",
    "export v", "set -- m 'n o'", "IFS=,", "declare -a arr=(1 2)", "v='p q'", "v=\"a b\" w=c",
    "printf -v r %s x", "cd sub", "w='*'", "x=$(A k)", "cd .", "eval 'A k'", "[ -n \"$v\" ]",
    "[ $n -eq 1 ]", "let n=2", "(( n += 1 ))", "alias a=b", "v=~/x", "v=a:~",
)  # fmt: skip

_SEEDS = (
    'git commit -m "$(cat <<\'EOF\'\nfix: it\'s $HOME\n\n- `x`\nEOF\n)"',
    "for f in *.txt; do A \"$f\" | B -l; done",
    "while read -r l; do A \"$l\"; done < a.txt",
    "[[ -f a.txt ]] && A a.txt || B 'no file'",
    "case \"$1\" in start|run) A ;; stop) B;; *) C \"usage: $0 {start|stop}\" ;; esac",
    "cat <<EOF > o1\nhello $v\n$(A k1) `B k2`\nEOF",
    "cat > o2 <<'EOF'\n#!/bin/bash\nrm -rf $(x) `y` ${z}\nEOF\nA done",
    "if A -q x 2>/dev/null; then B; else C; fi",
    "A | B -n 's/a\\(b\\)/\\1/p' | C -k2,2 -t: >o3 2>&1",
    "cd sub && A -r --x='a b' ./... && cd - >/dev/null",
    "f() { local d=$1; A \"$d\"; }\nf x; f 'y z'",
    "i=0; while [ $i -lt 3 ]; do A $i; i=$((i+1)); done",
    "A $(B -c \"x y\") \"$(C 'q' | A \"w\")\"",
    "diff <(A x) <(B y) | C",
    "A '{print $1}' | B -v FS=, '$2 ~ /x/ { print }'",
    "v=lit; A \"$v\" $v ${v} ${v:-$(B)} \"${v%/*}\"",
    "(cd sub; A; B) & wait; { A; B; } > o4",
    "A a\\ b 'c'\"d\"$'\\t'e \\\n  --long=\"x y\" # comment ' \"\nB",
    "export PX=1 PY='a b'; PZ=2 A $PX \"$PY\"",
    "A {1..3}.txt x{a,b}y {a,b}/{c,d} file.{js,ts}",
    "A <<< \"$v x\"; B <<<'lit'; C <<-X\n\ta\n\tX",
    "set -euo pipefail\ntrap 'A' EXIT\nB \"${1:-x}\"",
    "arr=(a \"b c\" d); A \"${arr[@]}\" ${#arr[@]} ${arr[1]}",
    "for ((i=0;i<2;i++)); do A $i; done; (( n > 1 )) && B",
    "A \"a `B \\`C\\`` b\" `A \"x\"`",
    "time A x | B; ! A y; A&B",
    "until A; do B; done; select z in a; do C; break; done",
    "A 2>&1 >/dev/null <a.txt | B &>o5; C >&2",
    "A ~/x ~ \"$HOME/y\" $HOME/z x=~/b --p=~/c",
    "echo \"a;b\" ; A 'x&&y' \"p|q\" r\\;s",
)  # fmt: skip
_BITS = (
    "'", '"', "\\", "`", "$", "(", ")", "{", "}", "$(", "${", "<(", "<<E\n", "\nE\n", ";", "&", "|",
    "&&", "||", "\n", "#", " ", "\t", "<", ">", "\\\n", "A", "B k", "=", "[[ ", " ]]", "((", "))",
    "*", "~", ",", "!", ";;", "in", "do ", "done", "if ", "then ", "fi", "case ", "esac", "<<<", "$((",
    "${x:-", "function ", "x=", "$'", "\\'", "()", "2>", ":", "@", "$v", "\"$v\"", "é", "-", "%",
)  # fmt: skip


def spliced(random: Random) -> str:
    """Commands as agents write them, cut, joined and scratched at random places."""
    text = random.choice(_SEEDS)
    for _ in range(random.choice((0, 1, 1, 2))):
        text = _joined(random, text, random.choice(_SEEDS))
    for _ in range(random.choice((0, 1, 1, 2, 3, 5))):
        text = _scratched(random, text)
    return text


def _joined(random: Random, text: str, other: str) -> str:
    if random.random() < 0.4:
        return text + random.choice(("\n", "; ", " && ", " | ", "\n\n", " & ")) + other
    cut, at = random.randrange(len(text) + 1), random.randrange(len(other) + 1)
    if random.random() < 0.5:
        return text[:cut] + other[at:]
    return text[:cut] + other + text[cut:]


def _scratched(random: Random, text: str) -> str:
    i = random.randrange(len(text) + 1)
    kind = random.random()
    if kind < 0.5:
        return text[:i] + random.choice(_BITS) + text[i:]
    if kind < 0.75:
        return text[:i] + text[i + random.randint(1, 3) :]
    j = random.randrange(len(text) + 1)
    return text[:i] + text[min(i, j) : max(i, j)] + text[i:]


_TOKENS = (
    *_BITS, *_COMPUTED[:20], *_QUOTED[:14], "A", "B", "C x", "A k", "B", "$(B)", "`C`", "\n", " ", " ",
    " ", ";", "if A; then B; fi", "{ A; }", "(B)", "for w in a b; do A $w; done", "<<E\na $(B)\nE\n",
    "<<'E'\n$(B)\nE\n", "case a in a) B;; esac", "f(){ A; }", "f", "[[ -n x ]]", "((1))", "{a,b}",
    "*.txt", "> o", "2>&1", "<<<", "x=1", "v=B", "$v", "eval ", "export ", "${v", "}", "''", "! ",
    "time ", "coproc ", "&>", "|&", "echo ", "\\\n", "$'\\x41'", "~/", "a=(", "${arr[", "]}", "$((n+",
    "unset ", "read ", "n=1 ", "while A; do B; break; done", "select w in a; do B; break; done", "%",
)  # fmt: skip


def souped(random: Random) -> str:
    """Tokens in any order, mostly without sense."""
    return "".join(random.choice(_TOKENS) for _ in range(random.randint(2, 14)))


def grown(random: Random) -> str:
    """A script grown from the grammar."""
    return ScriptMaker(random).script()
