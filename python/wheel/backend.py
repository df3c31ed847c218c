"""The build backend of the package: scikit-build-core, and on the terminal how far the compiler is.

pip shows nothing of what a backend prints until it has failed, and compiling takes minutes.
"""

import contextlib
import os
import re
import sys
import threading

from scikit_build_core import build
from scikit_build_core.build import *

# The compiler that CMake takes by itself, and not the one that Python was compiled with: then ccache has what was compiled
# outside of pip.
os.environ.setdefault("CC", "cc")
os.environ.setdefault("CXX", "c++")

STEP = re.compile(rb"\[(\d+)/(\d+)\] ")


def _forward(source, target, terminal):
    """Copies lines from the file descriptor `source` to `target`; every tenth of ninja's steps goes to the terminal, too."""
    shown = 0
    with open(source, "rb") as lines, open(target, "wb", closefd=False) as out:
        for line in lines:
            out.write(line)
            out.flush()
            step = STEP.match(line)
            if step is None:
                continue
            done, total = int(step[1]), int(step[2])
            if done * 10 // total > shown or done == 1:
                shown = done * 10 // total
                os.write(terminal, b"\r\n  relayopt: %d of %d files compiled" % (done, total))


@contextlib.contextmanager
def _progress():
    try:
        terminal = os.open("/dev/tty", os.O_WRONLY | os.O_NOCTTY)
    except OSError:
        # Nobody is watching.
        yield
        return
    sys.stdout.flush()
    output = os.dup(1)
    reader, writer = os.pipe()
    os.dup2(writer, 1)
    os.close(writer)
    thread = threading.Thread(target=_forward, args=(reader, output, terminal))
    thread.start()
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(output, 1)
        thread.join()
        os.write(terminal, b"\r\n")
        os.close(output)
        os.close(terminal)


def build_wheel(*arguments, **options):
    with _progress():
        return build.build_wheel(*arguments, **options)


def build_editable(*arguments, **options):
    with _progress():
        return build.build_editable(*arguments, **options)
