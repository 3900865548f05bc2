"""The snippets of the guide are one program, which prints what stands below them."""

from __future__ import annotations

import ast
import asyncio
import contextlib
import inspect
import io
import re
from pathlib import Path
from types import FunctionType

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


async def run(code: str, where: str, names: dict[str, object]) -> str:
    compiled = compile(code, where, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        result = FunctionType(compiled, names)()
        if inspect.isawaitable(result):
            await result
    return printed.getvalue()


async def page(path: Path) -> int:
    names: dict[str, object] = {"__name__": "guide"}
    printed, texts = "", 0
    source = path.read_text()
    for found in FENCE.finditer(source):
        line = source.count("\n", 0, found.start()) + 1
        if found[1] == "python":
            # So that errors name lines of the page.
            printed += await run("\n" * line + found[2], str(path), names)
        elif found[1] == "text":
            assert printed == found[2], f"{path}:{line}"
            printed, texts = "", texts + 1
    return texts


def test_the_page_of_the_guide_prints_what_it_says() -> None:
    assert asyncio.run(page(ROOT / "docs/python.md")) == 7


def anchors(path: Path) -> set[str]:
    titles = re.findall(r"^#+ (.*)$", path.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def test_what_comments_lead_to_is_there() -> None:
    found = 0
    for source in (ROOT / "python/steptree").glob("*.py"):
        for page, anchor in re.findall(r"Guide: (docs/[\w/-]+\.md)#?([\w-]*)", source.read_text()):
            assert anchor == "" or anchor in anchors(ROOT / page), f"{source.name}: {page}#{anchor}"
            found += 1
    assert found > 4


def test_the_readme_prints_what_it_says() -> None:
    [(_, code)] = [found for found in FENCE.findall((ROOT / "python/README.md").read_text())]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "README.md", "exec"), {"__name__": "readme"})
    expected = re.search(r"print\(asyncio\.run\(run\(profile\)\)\)  # (.*)", code)
    assert expected is not None
    assert printed.getvalue() == expected[1] + "\n"
