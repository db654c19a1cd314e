#!/usr/bin/env python3
"""Follows the tutorial in a bare system, to the letter: tutorial.py ROOT PATH LOG.

Each command runs in ROOT by chroot, in a folder that has nothing but `datasets`, and must print what the page shows;
times and sizes may differ. Where ROOT has no duckdb its steps are left out. The log has each command and what it
printed. The last line printed says how many steps there were.
"""

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "docs/TUTORIAL.md"


def steps(text):
    """Each command with what the page shows after it."""
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        for command, shown in re.findall(r"^\$ ((?:.*\\\n)*.*\n)((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
            yield command, shown


def steady(text):
    """The text without what differs from run to run."""
    text = re.sub(r"in \d+\.\d{3} s(, [0-9.,]+ [KMGT]?i?B/s)?", "in TIME", text)
    return re.sub(r"\b[0-9.,]+ (B|[KMGT]iB)\b", "SIZE", text)


def main():
    root, path, log = sys.argv[1:]
    chroot = ["chroot", root, "env", f"PATH={path}", "LC_ALL=C.UTF-8", "TZ=UTC", "sh", "-c"]
    has_duckdb = subprocess.run([*chroot, "command -v duckdb"], stdout=subprocess.DEVNULL).returncode == 0
    count = left_out = 0
    with open(log, "w") as file:
        for command, shown in steps(PAGE.read_text()):
            if command.startswith("duckdb") and not has_duckdb:
                left_out += 1
                continue
            done = subprocess.run([*chroot, f"cd /tutorial && exec 2>&1\n{command}"], stdout=subprocess.PIPE)
            printed = done.stdout.decode()
            file.write(f"$ {command}{printed}")
            if steady(printed) != steady(shown):
                sys.exit(f"tutorial.py: {command}prints\n{printed}and the page shows\n{shown}")
            count += 1
    print(f"{count} steps" + (f", {left_out} left out: there is no duckdb" if left_out else ""))


main()
