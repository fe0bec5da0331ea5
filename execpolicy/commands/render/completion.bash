# Completion of execpolicy for bash, written by `execpolicy completion bash`.

# What stands for an option's value or an operand: a kind, then the words that are known.
_execpolicy_takes() {
    case "$1" in
TAKES        *) return 1 ;;
    esac
}

# Offer the words that begin with what is typed.
_execpolicy_words() {
    local IFS=$' \t\n'
    COMPREPLY=($(compgen -W "$1" -- "$cur"))
}

# Directories, and files with this ending, or all; with `/` directories only.
_execpolicy_list() {
    case "$1" in
        '') compgen -f -- "$cur" ;;
        /) compgen -d -- "$cur" ;;
        *) compgen -d -- "$cur"; compgen -f -X "!*$1" -- "$cur" ;;
    esac
}

_execpolicy_files() {
    local one
    compopt -o filenames 2>/dev/null
    while IFS= read -r one; do
        COMPREPLY+=("$one")
    done < <(_execpolicy_list "$1")
}

# Whether the operands of this command are a command line of their own.
_execpolicy_leads() {
    case "$1" in
        LEADS) ;;
        *) return 1 ;;
    esac
}

_execpolicy_value() {
    local takes
    takes=$(_execpolicy_takes "$1") || return
    case "$takes" in
        'file '*) _execpolicy_files "${takes#file }" ;;
        command*) COMPREPLY=($(compgen -c -- "$cur")) ;;
        words*) _execpolicy_words "${takes#words }" ;;
    esac
}

# Complete a command line inside ours, which begins at word $1.
_execpolicy_inner() {
    if declare -F _command_offset >/dev/null; then
        _command_offset "$1"
    elif ((COMP_CWORD == $1)); then
        COMPREPLY=($(compgen -c -- "$cur"))
    else
        _execpolicy_files ''
    fi
}

_execpolicy() {
    local cur=${COMP_WORDS[COMP_CWORD]} command= option= word i dashes=
    COMPREPLY=()
    [[ $cur == = ]] && cur=
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ -z $command ]]; then
            command=$word
        elif [[ -n $option ]]; then
            [[ $word == = ]] || option=
        elif [[ -z $dashes && $word == -- ]]; then
            dashes=1
        elif [[ -z $dashes && $word == -?* ]]; then
            _execpolicy_takes "$command $word" >/dev/null && option=$word
        elif _execpolicy_leads "$command"; then
            _execpolicy_inner "$i"
            return
        fi
    done
    if [[ -z $command ]]; then
        _execpolicy_words 'COMMANDS'
    elif [[ -n $option ]]; then
        _execpolicy_value "$command $option"
    elif [[ -z $dashes && $cur == -* ]]; then
        _execpolicy_options
    elif _execpolicy_leads "$command"; then
        _execpolicy_inner "$COMP_CWORD"
    else
        _execpolicy_value "$command"
    fi
}

_execpolicy_options() {
    case "$command" in
OPTIONS    esac
}

complete -F _execpolicy execpolicy
