"""The adapter of Python: one case a line on stdin, its trace as one line on stdout, in the same
order. It knows the package `steptree` alone."""

from __future__ import annotations

import gc
import json
import sys
from typing import Any

import runcase


def answer(line: str) -> dict[str, Any]:
    request = json.loads(line)
    return {"id": request["id"], **runcase.run_case(request["case"])}


def main() -> None:
    sys.setrecursionlimit(20_000)
    for line in sys.stdin:
        if not line.strip():
            continue
        print(json.dumps(answer(line), ensure_ascii=False, separators=(",", ":")), flush=True)
        gc.collect(0)


main()
