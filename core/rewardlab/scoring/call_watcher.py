"""The program that says which call of a reward has lasted long; it ends when its stdin does, that is, with its host.

It is run by path: `python -I -S call_watcher.py FD SECONDS`, and imports the standard library only. FD is a file of
MAX_CALLS slots, each with a note: the time at which a call began (0: there is none) and the text that says what it is.
"""

import mmap
import select
import struct
import sys
import time

MAX_CALLS, SLOT = 64, 512
"""calls that are watched at once, and the bytes of each one's note"""
NOTE = struct.Struct("<dH")
"""what stands before a note's text: when the call began, by the monotonic clock, and the bytes of the text"""
REMEDY = "a reward that can hang declares runs='worker', whose `timeout` ends it"


def main() -> None:
    """Print a line for each call that lasts SECONDS, then twice as long, and so on."""
    descriptor, first = int(sys.argv[1]), float(sys.argv[2])
    memory = mmap.mmap(descriptor, MAX_CALLS * SLOT, prot=mmap.PROT_READ)
    due: dict[tuple[int, float], float] = {}
    while not select.select([0], [], [], min(1.0, first / 4))[0]:
        now = time.monotonic()
        under_way = {}
        for place in range(MAX_CALLS):
            began, length = NOTE.unpack_from(memory, place * SLOT)
            if not began:
                continue
            wait = due.get((place, began), first)
            if now - began >= wait:
                start = place * SLOT + NOTE.size
                text = memory[start : start + length].decode("utf-8", "replace")
                print(f"warning: {text} for {now - began:.0f} s; {REMEDY}", file=sys.stderr, flush=True)
                wait *= 2
            under_way[place, began] = wait
        due = under_way


if __name__ == "__main__":
    main()
