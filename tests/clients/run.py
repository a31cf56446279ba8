#!/usr/bin/env python3
"""Runs the tests of Python's client libraries; see support/servers.py for what they talk to.

  run.py [NAME...]      the test modules to run, all of them if none is named

The last line tells how many passed and failed.
"""

import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "support")]


def main():
    names = sys.argv[1:] or sorted(file.stem for file in HERE.glob("*_test.py"))
    suite = unittest.defaultTestLoader.loadTestsFromNames(names)
    result = unittest.TextTestRunner(verbosity=2, stream=sys.stdout).run(suite)
    failed = len({test.id().split(" ")[0] for test, _ in result.failures + result.errors})
    print(f"{result.testsRun - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
