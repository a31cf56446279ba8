#!/usr/bin/env python3
"""Checks the recorded cases of real usage (see runner.py) on the playground, each version on servers of its own.

  check.py [VERSION...]      all recorded versions, if none is named

Two versions run at the same time: cases mostly wait. The last line tells how many passed and failed.
"""

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "clients/support"))
from servers import Server


def check(version):
    with Server(version) as plain, Server(version, cluster=True) as cluster:
        words = [sys.executable, HERE / "runner.py", "check", "--version", version]
        words += ["--port", str(plain.port), "--cluster-port", str(cluster.port)]
        return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout


def main():
    versions = sys.argv[1:] or sorted(folder.name for folder in (HERE / "expected").iterdir())
    passed = failed = 0
    with ThreadPoolExecutor(2) as pool:
        for version, output in zip(versions, pool.map(check, versions)):
            lines = output.splitlines()
            print("\n".join(line for line in lines if line.startswith(("FAILED", "version"))))
            counts = re.fullmatch(r"(\d+) passed, (\d+) failed", lines[-1] if lines else "")
            if not counts:
                print(output)
            passed += int(counts[1]) if counts else 0
            failed += int(counts[2]) if counts else 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
