#compdef execpolicy
# Completion of execpolicy for zsh, written by `execpolicy completion zsh`.

_execpolicy() {
    local curcontext="$curcontext" state state_descr line
    local -A opt_args
    _arguments -C -S '(- *)'{-h,--help}'[show help and end]' \
        '(- *)'{-V,--version}'[show the version and end]' \
        '(-): :->command' '(-)*:: :->rest'
    case $state in
        command)
            local -a commands=(
COMMANDS            )
            _describe -t commands command commands
            ;;
        rest)
            curcontext="${curcontext%:*}-$words[1]:"
            case $words[1] in
CASES            esac
            ;;
    esac
}

if [[ $funcstack[1] == _execpolicy ]]; then
    _execpolicy "$@"
else
    compdef _execpolicy execpolicy
fi
