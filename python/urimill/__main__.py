"""The command ``urimill``, also as ``python -m urimill``: the same program as the one in Rust."""

from __future__ import annotations

import signal
import sys


def main() -> int:
    """Runs the command line with the arguments of this process; answers its exit code."""
    from ._urimill import main as run

    # The interpreter's handler would only take a note while the program is at work. Where the signal is ignored, as
    # for jobs in the background of a script, it stays so.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    return run(["urimill", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
