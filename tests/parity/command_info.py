#!/usr/bin/env python3
"""Compares COMMAND INFO of two servers: every fact of every command that both offer.

usage: command_info.py OURS_PORT REAL_PORT [NAME…]
Prints a line for each difference and the commands only one of them has. Exit 1 where a fact of a common command differs.
The order of flags, categories and key specifications counts; that of subcommands does not (the real server's is random).
"""
import sys

from resp import Conn, decode

FIELDS = ["name", "arity", "flags", "first key", "last key", "step", "categories", "tips", "key specs"]


def table(port):
    found = {}

    def add(entry):
        found[entry[0].decode()] = entry
        for sub in entry[9]:
            add(sub)

    for entry in decode(Conn(port, timeout=30).call("COMMAND")):
        add(entry)
    return found


def main():
    ours, real = table(int(sys.argv[1])), table(int(sys.argv[2]))
    only = sys.argv[3:]
    differences = 0
    for name in sorted(set(ours) & set(real)):
        if only and name.split("|")[0] not in only:
            continue
        for index, field in enumerate(FIELDS):
            if ours[name][index] != real[name][index]:
                differences += 1
                print(f"{name}: {field}\n  ours {ours[name][index]}\n  real {real[name][index]}")
    print("only ours:", *sorted(set(ours) - set(real)))
    print("only real:", *sorted(set(real) - set(ours)))
    print(f"{len(set(ours) & set(real))} commands compared, {differences} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
