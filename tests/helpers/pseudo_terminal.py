"""A process at a real pseudo-terminal, and what somebody sees there who looks at its lines."""

import fcntl
import os
import pty
import re
import struct
import sys
import termios
import time

_PIECES = re.compile(r"\x1b\[([\d;]*)([A-Za-z])|([\r\n])|([^\x1b\r\n]+)")


def run_at_terminal(code, columns=80, when=None, then=lambda terminal: None, **environment):
    """Run Python code at a terminal; return (its exit code, all that it wrote).

    when: a text; once it has been written, `then` is called with the terminal, once.
    """
    plain = {name: value for name, value in os.environ.items() if name not in ("CI", "NO_COLOR")}
    variables = plain | {"TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8"} | environment
    pid, terminal = pty.fork()
    if pid == 0:
        os.read(0, 1)  # the terminal has its size by then
        os.execve(sys.executable, [sys.executable, "-c", code], variables)
    resize(terminal, columns)
    os.write(terminal, b"\n")
    seen, deadline = "", time.monotonic() + 60
    while time.monotonic() < deadline and (chunk := read(terminal)):
        seen += chunk
        if when is not None and when in seen:
            when = None
            then(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), seen.removeprefix("\r\n")


def resize(terminal, columns):
    """Give the terminal so many columns."""
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 30, columns, 0, 0))


def read(terminal):
    """Return what was written since; "" at the end."""
    try:
        return os.read(terminal, 65536).decode("utf-8", "replace")
    except OSError:  # the other end is closed
        return ""


def lines_of(written):
    """Return the lines as they stand on a terminal that is wide enough for them."""
    lines, row, column = [""], 0, 0
    for numbers, command, control, text in _PIECES.findall(written):
        if command == "A":
            row = max(0, row - int(numbers or 1))
        elif command == "K":
            lines[row] = ""
        elif control == "\r":
            column = 0
        elif control == "\n":
            row += 1
            lines += [""] * (row + 1 - len(lines))
        elif text:
            lines[row] = lines[row][:column].ljust(column) + text
            column += len(text)
    return [line.rstrip() for line in lines]
