# Completion of execpolicy for fish, written by `execpolicy completion fish`.

# Whether the command that is being typed is this one.
function __execpolicy_is
    set -l words (commandline -opc)
    test (count $words) -gt 1; and test "$words[2]" = $argv[1]
end

# The words after the options of this command, whose other arguments are the options with a value.
function __execpolicy_rest
    set -l words (commandline -opc) (commandline -ct)
    set -l at 3
    while test $at -le (count $words)
        switch "$words[$at]"
            case --
                set at (math $at + 1)
                break
            case '-?*'
                contains -- "$words[$at]" $argv; and set at (math $at + 1)
            case '*'
                break
        end
        set at (math $at + 1)
    end
    test $at -le (count $words); and printf '%s\n' $words[$at..-1]
end

# Whether a command of its own is being typed after the options.
function __execpolicy_inside
    __execpolicy_is $argv[1]; and test (count (__execpolicy_rest $argv[2..-1])) -gt 0
end

# Complete the command after the options.
function __execpolicy_inner
    set -l words (__execpolicy_rest $argv)
    complete -C (string join ' ' -- (string escape -- $words[1..-2]) $words[-1])
end

# Directories, and files with this ending.
function __execpolicy_files
    set -l ending '/$|'(string escape --style=regex -- "$argv[1]")'$'
    for one in (__fish_complete_path (string replace -r -- '^--[^=]*=' '' (commandline -ct)))
        string match -qr -- $ending (string replace -r -- '	.*' '' $one); and echo $one
    end
end

complete -c execpolicy -e
complete -c execpolicy -f
complete -c execpolicy -n __fish_use_subcommand -s h -l help -d 'show help and end'
complete -c execpolicy -n __fish_use_subcommand -s V -l version -d 'show the version and end'
