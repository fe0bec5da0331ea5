"""Stands in the place of every program that an agent may start: the supervisor runs the real one.

It is run by `python -IS` as a script, by the path that was executed, and imports nothing that is
not built in, or nearly so. It decides nothing. Where no supervisor answers it ends with 125.
`protocol` says what it sends. `shim.c` is the same program where the package was built with a
compiler.
"""

import _signal  # type: ignore[import-not-found]
import _socket
import posix
import sys

SOCKET = b"/run/execpolicy/socket"
BEGIN = "/run/execpolicy/begin"
"""The name by which it starts the agent itself."""
MAX_DESCRIPTORS = 64
PASSED_ON = (1, 2, 3, 15, 18, 20, 28)
STOP_TYPED, STOP = 20, 19
REFUSED = 125


def main() -> int:
    """Hand over what this process was started as; the code to end with."""
    server = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    own = server.fileno()
    numbers = [n for n in range(MAX_DESCRIPTORS) if n != own and _is_given(n)]
    try:
        server.connect(SOCKET)
        _send(server, numbers)
        if _exactly(server) != b"t":
            return _gone()
        for number in PASSED_ON:
            if _signal.getsignal(number) is not _signal.SIG_IGN:
                _signal.signal(number, lambda n, _: _pass_on(server, n))
        for number in numbers:
            posix.close(number) if number != 2 else None
        while (said := _exactly(server)) != b"x":
            if not said:
                return _gone()
        return _exactly(server)[0]
    except (OSError, IndexError):
        return _gone()


def _is_given(number: int) -> bool:
    try:
        return posix.get_inheritable(number)
    except OSError:
        return False


def _send(server: "_socket.socket", numbers: "list[int]") -> None:
    """The head with the descriptors, and the texts."""
    path, *words = map(_bytes, sys.argv)
    variables = [name + b"=" + value for name, value in posix.environ.items()]
    text = b"".join(one + b"\0" for one in (posix.getcwdb(), *words, *variables, path))
    umask = posix.umask(0o77)
    head = (len(text), len(words), len(variables), umask, len(numbers), *numbers)
    data = b"XPW2" + b"".join(one.to_bytes(4, "little") for one in head)
    rights = b"".join(number.to_bytes(4, sys.byteorder) for number in numbers)
    given = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, rights)] if numbers else []
    server.sendmsg([data], given, _socket.MSG_NOSIGNAL)
    server.sendall(text, _socket.MSG_NOSIGNAL)


def _bytes(word: str) -> bytes:
    return word.encode(sys.getfilesystemencoding(), "surrogateescape")


def _exactly(server: "_socket.socket") -> bytes:
    return server.recv(1)


def _pass_on(server: "_socket.socket", number: int) -> None:
    try:
        server.send(b"s" + bytes((number,)), _socket.MSG_NOSIGNAL | _socket.MSG_DONTWAIT)
    except OSError:
        return
    if number == STOP_TYPED:
        posix.kill(posix.getpid(), STOP)


def _gone() -> int:
    posix.write(2, b"execpolicy: the supervisor of this session is gone: nothing was run\n")
    return REFUSED


def begin(words: "list[str]") -> int:
    """Start the agent: `begin [-] PATH... -- PROGRAM WORD...`, which may execute only what lies
    below these paths; with `-` anything, where the kernel has no Landlock."""
    end = words.index("--")
    paths, agent = words[:end], words[end + 1 :]
    try:
        if paths[:1] != ["-"]:
            _keep_to(paths)
    except OSError:
        posix.write(2, b"execpolicy: the kernel does not keep the agent to its programs\n")
        return REFUSED
    try:
        posix.execv(agent[0], agent)
    except OSError:
        posix.write(2, b"execpolicy: the agent could not be started\n")
    return 126


def _keep_to(paths: "list[str]") -> None:
    """Landlock (landlock(7)), with LANDLOCK_ACCESS_FS_EXECUTE. Raises `OSError`."""
    import _ctypes

    library = _ctypes.dlopen(None, 0)  # type: ignore[arg-type]

    def call(name: str, *given: object) -> int:
        done: int = _ctypes.call_function(_ctypes.dlsym(library, name), given)
        if done < 0:
            raise OSError
        return done

    execute = (1).to_bytes(8, sys.byteorder)
    held = call("syscall", 444, execute, 8, 0)
    for path in paths:
        try:
            opened = posix.open(path, posix.O_PATH | posix.O_CLOEXEC)
        except OSError:
            continue
        call("syscall", 445, held, 1, execute + opened.to_bytes(4, sys.byteorder), 0)
        posix.close(opened)
    call("prctl", 38, 1, 0, 0, 0)
    call("syscall", 446, held, 0)


if __name__ == "__main__":
    posix._exit(begin(sys.argv[1:]) if sys.argv[0] == BEGIN else main())
