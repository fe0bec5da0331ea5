#!/bin/bash -p
# Asks a running `execpolicy serve` about one call of a host, as hook.c does, where that was not
# built: on loopback, as bash has no unix sockets. Where there is no answer, or anything about it is
# odd, it becomes the program that its words name, which decides itself:
#     hook PYTHON -I …/execpolicy/__main__.py hook HOST
# It starts nothing on the way, and says its number alone: the server looks at it in /proc. With -p,
# bash takes no functions, options or files from the environment. What is set here is local, so that
# the other program gets the variables as they were.

# REPLY: a text of JSON. Bytes that are no UTF-8 go as they are: the server takes no such line.
quote() {
    local code char escaped
    REPLY=${1//\\/\\\\}
    REPLY=\"${REPLY//\"/\\\"}\"
    [[ $REPLY == *[$'\x01'-$'\x1f']* ]] || return 0
    for code in {1..31}; do
        printf -v escaped '\\u%04x' "$code"
        printf -v char '%b' "\\x${escaped: -2}"
        REPLY=${REPLY//"$char"/"$escaped"}
    done
}

# Whether a process is this user's, the one that began then, and may answer.
runs() {
    local status before
    [[ -O /proc/$1 ]] && read -r status <"/proc/$1/stat" || return 1
    before=${status%%) *}
    status=(${status:${#before}+2})
    [[ ${status[0]} != [ZXTt] && ${status[19]} == "$2" ]]
}

# REPLY: how many bytes this process has read, and how many it reads to know that.
count() {
    IFS= read -r -N 4096 REPLY </proc/self/io
    REPLY="${REPLY%%$'\n'*} ${#REPLY}"
}

# Read the payload. One that is long, late or has a null byte, which bash drops, is for the other.
# Where the kernel does not count, nothing is read.
take() {
    local first before after status
    count
    first=($REPLY)
    count
    before=($REPLY)
    ((first[2] && before[1] - first[1] == first[2])) || return 1
    IFS= read -r -t 1 -N 16384 _execpolicy_payload
    status=$?
    count
    after=($REPLY)
    _execpolicy_rest=
    ((after[1] - before[1] == before[2] + ${#_execpolicy_payload})) || _execpolicy_rest=null
    ((status)) || _execpolicy_rest+=more
    ((status == 1)) && [[ -z $_execpolicy_rest ]]
}

# Ask for a host, with the path of `__main__.py` in the package; say what the answer says, and end.
# Else there is none. A server sends 16 KiB at once, so that the end of an answer is not waited for.
ask() {
    local LC_ALL=C IFS=$' \t\n' REPLY line size answer
    local folder=$HOME/.local/state package port process began token word
    [[ $XDG_STATE_HOME != /* ]] || folder=$XDG_STATE_HOME
    folder+=/execpolicy/serve
    [[ $folder == /* && $folder/ != */./* && $folder != */..* && -d $folder ]] || return 1
    [[ -O $folder && ! -L $folder && -O $folder/loopback && ! -L $folder/loopback ]] || return 1
    [[ -f $folder/loopback && ! -o posix && ! -v BASH_COMPAT && ! -v FUNCNEST ]] || return 1
    read -r package port process began token word <"$folder/loopback" || return 1
    [[ $package == @PACKAGE@ ]] && runs "$process" "$began" && take || return 1
    quote "$1"
    line="{\"hook\":$REPLY,\"process\":$$"
    quote "${2%/*}"
    line+=",\"version\":[\"@PACKAGE@\",$REPLY]"
    quote "$_execpolicy_payload"
    trap : PIPE
    {
        printf '%s %s,"payload":%s}\n' "$token" "$line" "$REPLY" >&3
        IFS= read -r -t 0.6 -N 31 -u 3 line && [[ $line == "$word"\ +([0-9])$'\n' ]] || return 1
        size=$((10#${line:23:7}))
        ((size <= 16384)) && IFS= read -r -N "$size" -u 3 answer || return 1
    } 3<>"/dev/tcp/127.0.0.1/$port" || return 1
    [[ $answer == "execpolicy @PACKAGE@ "+([0-9])\ +([0-9])\ +([0-9])$'\n'* ]] || return 1
    line=${answer%%$'\n'*}
    answer=${answer:${#line}+1}
    line=($line)
    ((${#answer} == 10#${line[3]} + 10#${line[4]})) || return 1
    printf %s "${answer:0:10#${line[3]}}"
    printf %s "${answer:10#${line[3]}}" >&9
    exit "${line[2]}"
}

unset _execpolicy_payload _execpolicy_rest
if [[ ${*: -2:1} == hook && ! -t 0 ]]; then
    ask "${*: -1}" "${*: -3:1}" 9>&2 2>/dev/null
fi
shopt -s execfail
unset PYTHONEXECUTABLE __PYVENV_LAUNCHER__ # they count in spite of -I
if [[ -v _execpolicy_payload ]]; then # what was read here is read again there
    exec "$@" < <(
        printf %s "$_execpolicy_payload"
        [[ $_execpolicy_rest != null* ]] || printf '\0'
        [[ $_execpolicy_rest != *more ]] || exec /bin/cat 2>/dev/null
    )
else
    exec "$@"
fi
printf 'execpolicy: cannot start `%s`: nothing was decided\n' "$1" >&2
exit 2 # by which hosts refuse a call
