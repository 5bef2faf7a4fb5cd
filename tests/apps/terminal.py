"""A terminal for tests: runs a program in a pseudo-terminal and keeps what a person would see."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
import unicodedata

WIDTH, HEIGHT = 160, 50
PATIENCE = 60  # seconds; only for programs that hang
PROMPTS = ("kith>", "  ...")


class Screen:
    """Lines of text with a cursor; as much of a terminal as line editing needs. Never scrolls."""

    ESCAPE = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z@])|\x1b[()][A-Z0-9]|\x1b[=>78DMH]")

    def __init__(self):
        self.lines = [[]]
        self.row = self.column = 0
        self.pending = ""

    def feed(self, text):
        text = self.pending + text
        self.pending, at = "", 0
        while at < len(text):
            if text[at] == "\x1b":
                found = self.ESCAPE.match(text, at)
                if not found:
                    self.pending = text[at:]  # the rest is on its way
                    return
                if found[2]:
                    self.control(found[2], int(found[1]) if found[1].isdigit() else None)
                at = found.end()
            else:
                self.put(text[at])
                at += 1

    def put(self, character):
        if character == "\n":
            self.row += 1
            while len(self.lines) <= self.row:
                self.lines.append([])
        elif character == "\r":
            self.column = 0
        elif character == "\b":
            self.column = max(0, self.column - 1)
        elif character >= " ":
            wide = unicodedata.east_asian_width(character) in "WF"
            self.write([character, ""] if wide else [character])

    def write(self, cells):
        line = self.lines[self.row]
        line.extend(" " * (self.column - len(line)))
        line[self.column:self.column + len(cells)] = cells
        self.column += len(cells)

    def control(self, code, number):
        line, count = self.lines[self.row], number or 1
        if code == "C":
            self.column += count
        elif code == "D":
            self.column = max(0, self.column - count)
        elif code == "G":
            self.column = count - 1
        elif code == "A":
            self.row = max(0, self.row - count)
        elif code == "K":
            del line[self.column:]
        elif code == "J":
            del line[self.column:]
            del self.lines[self.row + 1:]
        elif code == "P":
            del line[self.column:self.column + count]
        elif code == "@":
            line[self.column:self.column] = " " * count

    def text(self, first=0):
        return ["".join(line).rstrip() for line in self.lines[first:]]

    def current(self):
        return "".join(self.lines[self.row])


class Session:
    """A program under way."""

    def __init__(self, program, arguments, folder, **environment):
        self.screen = Screen()
        self.exit_code = None
        settings = {"PATH": "/usr/bin:/bin", "TERM": "xterm", "LC_ALL": "C.UTF-8", "NO_COLOR": "1",
                    "HOME": str(folder), "XDG_STATE_HOME": str(folder / "state"), **environment}
        # libedit forgets the names of functions that are bound to keys; what kith itself forgets is
        # found by the tests without a terminal.
        settings["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.execve(program, [os.path.basename(program), *arguments], settings)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", HEIGHT, WIDTH, 0, 0))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.exit_code is None:
            os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
        os.close(self.terminal)

    def type(self, text):
        os.write(self.terminal, text.encode("utf-8"))

    def read(self):
        """False at the end."""
        ready, _, _ = select.select([self.terminal], [], [], 0.2)
        if not ready:
            return True
        try:
            block = os.read(self.terminal, 1 << 16)
        except OSError:  # the other side is closed
            block = b""
        while block and (block[-1] & 0xC0) == 0x80 and not self.is_whole(block):
            block += os.read(self.terminal, 1)
        if block and block[-1] >= 0xC0:
            while not self.is_whole(block):
                block += os.read(self.terminal, 1)
        self.screen.feed(block.decode("utf-8", "replace"))
        return bool(block)

    @staticmethod
    def is_whole(block):
        try:
            block[-4:].decode("utf-8")
            return True
        except UnicodeDecodeError as cut:
            return cut.reason != "unexpected end of data"

    def wait(self, condition, what):
        end = time.monotonic() + PATIENCE
        while not condition():
            alive = self.read()
            if condition():
                return
            if not alive or time.monotonic() > end:
                raise AssertionError(f"waited for {what}; the screen is\n" + "\n".join(self.screen.text()))

    def is_editing(self):
        """While a line is edited, ctrl-C is a key, else a signal."""
        return not termios.tcgetattr(self.terminal)[3] & termios.ISIG

    def wait_for_prompt(self, after=-1):
        """On a line below `after`, with nothing typed."""
        self.wait(lambda: self.screen.row > after and self.screen.column == 6
                  and self.screen.current().rstrip() in PROMPTS and self.is_editing(), "a prompt")

    def wait_for(self, text, after=-1):
        self.wait(lambda: any(text in line for line in self.screen.text(after + 1)), repr(text))

    def enter(self, line):
        """Types a line and waits until the next is asked for. Returns the lines in between."""
        row = self.screen.row
        self.type(line + "\r")
        self.wait_for_prompt(row)
        return self.screen.text()[row + 1:self.screen.row]

    def end(self, keys=":quit\r"):
        """Ends the program and returns its exit code."""
        self.type(keys)
        while self.read():
            pass
        self.exit_code = os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
        return self.exit_code
