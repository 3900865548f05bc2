"""Builds the package: scikit-build-core, with the C++ sources in an sdist, which stand beside this folder.

In an sdist they are in `runtime`, its version is written down, and scikit-build-core is all that builds it.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

from scikit_build_core import build
from scikit_build_core.build import (
    build_editable,
    build_wheel,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

HERE = Path(__file__).parent
ROOT = HERE.parent
OWN = ("CMakeLists.txt", "README.md", "bindings.py", "glue.c", "steptree")
RUNTIME = ("CMakeLists.txt", "LICENSE", "cpp/CMakeLists.txt", "cpp/cabi", "cpp/cmake", "cpp/gdb", "cpp/include", "cpp/src")
LEFT_OUT = shutil.ignore_patterns("test", "conformance", "__pycache__", "*.so")


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    out, before = os.path.abspath(sdist_directory), os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder)
        for name in OWN:
            _copy(HERE / name, made / name)
        for name in RUNTIME:
            _copy(ROOT / name, made / "runtime" / name)
        (made / "pyproject.toml").write_text(_project())
        os.chdir(made)
        try:
            return build.build_sdist(out, config_settings)
        finally:
            os.chdir(before)


def _copy(source: Path, to: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, to, ignore=LEFT_OUT)
    else:
        shutil.copy(source, to)


def _project() -> str:
    """That of this folder, as far as it's about building; the version, too."""
    text = (HERE / "pyproject.toml").read_text()
    header = (ROOT / "cpp/include/steptree/version.hpp").read_text()
    version = ".".join(re.findall(r"^#define STEPTREE_VERSION_[A-Z]+ (\d+)$", header, flags=re.MULTILINE))
    for old, new in (
        (r'^build-backend = .*\n.*\n', 'build-backend = "scikit_build_core.build"\n'),
        (r"^dynamic = .*$", f'version = "{version}"'),
        (r"^build-dir = .*\n", ""),
        (r"(?s)^# Its numbers .*\Z", ""),
    ):
        text, found = re.subn(old, new, text, flags=re.MULTILINE)
        assert found == 1, old
    return text


__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]
