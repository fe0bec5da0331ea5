"""The smallest scripts on which a reader went wrong once, and what bash does with them."""

import pytest

from tests.shell import oracle

SCRIPTS = [
    # structure
    "A $(B x\nC y)",
    "A 'a'$(B x)'b'",
    "A ${u:-$(B)}",
    "{ A <<E\nE\nB\n}",
    "A ~a$(B)b",
    'A "$u"<(B)x',
    "{v}>f A x",
    "A a'$(B x)'",
    "(( 1+1 ))",
    "A;\\",
    "f <()",
    "f <( ) <(\n) <(#c\n) >(\\\n\t) a<(\n)b",
    "A \"$(<<'E'\nE')'\nE\n)\"",
    "A >&-2 B",
    "A <& -x",
    "coproc B k[ ]",
    "r=()B ''",
    # words
    "A 'it'\\''s'",
    "A $'\\x2d\\x2dforce' $\"hi\"",
    "A {push,--force}",
    "{A,-x}",
    "{5..5..0} A",
    "A {1..1} {5..5}",
    "A ''=~ =~/",
    "{$,}$",
    "A ~{a..c}''",
    "n=e\nA $n{1..3}x",
    # braces come first, so what follows them makes another name
    "v=t; {$v,}A",
    "v=a; va=B; A {$v,}a {b,$v}{a,c} {{$v,b},c}a {$v,b}_",
    'v=a; va=B; A {$v,b} {"$v",}a {${v},}a {$v,b}/a',
    'n=e; A ${n}{1,2} "$n"{1,2}',
    'v=1; A "${v%<(B)}"',
    'v=1; A "${v#>(B)}" "${v/<(C)/}"',
    # quotes that are none within quotes
    "A \"${u:-$'$(B)'}\"",
    "A \"${u:-${x:-'$(B)'}}\"",
    'A "${u:-`A \\"\'$(B)\'\\"`}"',
    "A <<E\n${u:-$'$(B)'}\nE",
    # bash 5.2 runs `$(…)` as it prints it, and prints these wrongly
    "A $(<<E|(B;\nE\nC)>x)",
    'A "$(<<E |B;C\nE\n)"',
    "A <(<<-E\nE\nB;C)",
    "A $(case a in\na)B <<E }\nE\nC;esac)",
    "A a$(time case + in\na)\nesac) B",
    "{ A $(($(B<<E\n'\nE\n))) ;}",
    # bash expands this target twice
    "A >&'$(B)'",
    # a line continuation that is removed before the text is read
    "A `B '\\\nx'`",
    "A \"${u:-`B '\\\nx'`}\"",
    "A <<E\n$(B '\\\nx')\nE",
    "A <<E\n$(B # \\\nC\n)\nE",
    "A <<E\n$(B <<'F'\nF\\\n\nC\nF\n)\nE",
    "A <<-E\n\t\\\n\tE\nB",
    # double quotes in a substitution of a heredoc are like those outside
    'A <<E\n$(B "\\" \'" $(C) "\' \\"")\nE',
    # names split by a line continuation
    "declare -a x\nx\\\n[0]=1; declare 'x=($(B))'",
    # a redirection that fails takes the assignment with it
    "export<X PY='a';\"$PY\"",
    # a backslash at the end, which bash keeps or not
    "A 'x\n' \\",
    'A "`\'`"$(($((())s)))',
    # arithmetic runs the subscripts of values
    "x='a[$(B)]'; A $((x))",
    "x='a[$(B)]'; [[ x -eq 1 ]]",
    "[ -v 'a[$(B)]' ]",
    "printf -v 'a[$(B)]' x",
    "read 'a[$(B)]' <<< x",
    "unset 'a[$(B)]'",
    "declare -i x='a[$(B)]'",
    "declare -a 'x=($(B))'",
    "declare -a x; declare 'x=([`B`]=1)'",
    "y='($(B))'; x=(1); declare x=$y",
    "SECONDS='a[$(B)]'",
    "RANDOM='a[$(B)]'",
    "let 'a[$(B)]'",
    "x='a[$(B)]' y=abc; A ${y:x}",
    "A 'a[$(B)]'; C $((_))",
    "x=-v y='a[$(B)]'; [ $x $y ]",
    "x='$(B)'; A ${x@P}",
    "x='-va[$(B)]'; printf $x y",
    "A >$x:&",
]


@pytest.mark.parametrize("script", SCRIPTS)
def test_bash_runs_nothing_unforeseen(script: str) -> None:
    assert oracle.failing([script], strict=False) is None
