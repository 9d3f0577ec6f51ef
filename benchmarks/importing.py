"""What `import headcount` adds to bare Python: medians of interleaved fresh processes."""

import json
import statistics
import subprocess
import sys
import time

ROUNDS = 15
LIMIT = 0.15


def seconds(code: str) -> float:
    """One fresh process, from start to end."""
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - started


def main() -> None:
    """Interleave bare Python with the import; the difference of medians is what it adds."""
    for code in ("pass", "import headcount"):
        seconds(code)
    bare, ours = [], []
    for _ in range(ROUNDS):
        bare.append(seconds("pass"))
        ours.append(seconds("import headcount"))
    added = statistics.median(ours) - statistics.median(bare)
    print(f"bare Python {statistics.median(bare):.3f} s, with import headcount {statistics.median(ours):.3f} s")
    print(json.dumps({"seconds": round(added, 4), "limit": LIMIT, "within": added <= LIMIT, "rounds": ROUNDS}))


if __name__ == "__main__":
    main()
