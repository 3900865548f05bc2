"""Writes the C source of the extension: `python bindings.py COMPILER HEADER OUT`.

The header is all that is read: each function of each of its tables becomes one of the extension,
`step_success` for `api->step->success`, which C calls without libffi.
"""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import cffi
from pycparser import CParser, c_generator  # pyright: ignore[reportMissingTypeStubs]

HERE = Path(__file__).parent
CALLBACKS = """
    void py_drop(uintptr_t);
    const steptree_error* py_body(steptree_step*, const steptree_value*, size_t, uintptr_t, uintptr_t);
    const steptree_error* py_handler(steptree_step*, const char*, size_t, uintptr_t, uintptr_t);
    const steptree_error* py_cancel(steptree_step*, uintptr_t, uintptr_t);
    const steptree_error* py_lock(steptree_step*, uintptr_t, uintptr_t);
    const steptree_error* py_deferred(steptree_step*, const steptree_outcome*, uintptr_t, uintptr_t);
    void py_done(const steptree_outcome*, uintptr_t);
    void py_call(uintptr_t);
    void py_hook(const steptree_error*, uintptr_t);
    void py_report(const steptree_error*, uintptr_t);
    void py_subscribe(void*, uint64_t, uintptr_t);
    int32_t py_stop(uintptr_t);
    uintptr_t py_begin(uintptr_t);
    const steptree_error* py_next(uintptr_t, steptree_value*, int32_t*);
    void py_end(uintptr_t);
    const steptree_error* py_sink(const steptree_value*, size_t, uint64_t, uintptr_t);
    int32_t py_decide(const steptree_error*, double*, uintptr_t);
    const steptree_error* py_failure(const steptree_error*, int32_t*, uintptr_t);
    const steptree_error* py_key(const char*, size_t, steptree_guard_options*, uintptr_t);
    void py_counted(int64_t, uintptr_t);
    void py_event(const steptree_event*, uintptr_t);
"""
CONSTANTS = "#define STEPTREE_ABI ...\n"


def plain(compiler: str, header: Path) -> str:
    """The types of the header: of its functions the glue calls one, and plug-ins have the other."""
    text = re.sub(r"^#include.*$", "", header.read_text(), flags=re.MULTILINE)
    command = [compiler, "-E", "-P", "-x", "c", "-DSTEPTREE_PLAIN", "-"]
    result = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return re.sub(r"^const \w+\*\s+steptree_\w+\([^;]*\);$", "", result.stdout, flags=re.MULTILINE)


def functions(declarations: str) -> list[tuple[str, str]]:
    """Declaration and definition of a function for each member of each table."""
    known = "typedef int int32_t, uint32_t, int64_t, uint64_t, size_t, uintptr_t;\n"
    made: list[tuple[str, str]] = []
    print_c = c_generator.CGenerator().visit
    parsed: Any = CParser().parse(known + declarations)
    for declared in parsed.ext:
        table = re.fullmatch(r"steptree_(\w+)_api", declared.name or "")
        if table is None:
            continue
        for member in declared.type.type.decls:
            function: Any = getattr(member.type, "type", None)
            if not hasattr(function, "args"):
                continue
            given: list[Any] = function.args.params if function.args is not None else []
            given = [] if len(given) == 1 and print_c(given[0]) == "void" else given
            call = f"tables->{table[1]}->{member.name}({', '.join(p.name for p in given)})"
            name = f"{table[1]}_{member.name}"
            function.type = renamed(function.type, name)
            signature = print_c(function)
            made.append((f"{signature};", f"static {signature} {{ return {call}; }}"))
    return made


def renamed(declared: Any, name: str) -> Any:
    at = declared
    while not hasattr(at, "declname"):
        at = at.type
    at.declname = name
    return declared


def own(glue: str) -> str:
    """Declarations of what the glue has."""
    heads = re.findall(r"^static ([^{};=]+?\([^{};]*?\)) \{", glue, flags=re.MULTILINE)
    return "".join(" ".join(head.split()) + ";\n" for head in heads)


def main(compiler: str, header: str, out: str) -> None:
    declarations = plain(compiler, Path(header))
    glue = (HERE / "glue.c").read_text()
    calls = functions(declarations)
    ffi = cffi.FFI()
    ffi.cdef(declarations + CONSTANTS + own(glue) + "\n".join(head for head, _ in calls))
    ffi.cdef(f'extern "Python" {{ {CALLBACKS} }}')
    externs = "".join(f"static {line.strip()}\n" for line in CALLBACKS.strip().splitlines())
    bodies = "\n".join(body for _, body in calls)
    ffi.set_source("steptree._steptree", f'#include "steptree/steptree.h"\n{externs}{glue}{bodies}')
    ffi.emit_c_code(out)


if __name__ == "__main__":
    main(*sys.argv[1:])
