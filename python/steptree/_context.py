"""In which context the code of a flow runs: that of whoever has started it, as a task has."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from typing import Any

from ._abi import running


class Within:
    """The context of one run of a flow, a copy that is the run's own."""

    __slots__ = ("_context", "_inside", "report")

    def __init__(self, report: Callable[[Any], object]) -> None:
        self._context = copy_context()
        self._inside = False
        self.report = report

    def call(self, function: Callable[..., Any], *args: Any) -> Any:
        """A context can't be entered twice: what is called inside of it gets a copy."""
        before, running.within = running.within, self
        if self._inside:
            try:
                return self._context.copy().run(function, *args)
            finally:
                running.within = before
        self._inside = True
        try:
            return self._context.run(function, *args)
        finally:
            self._inside = False
            running.within = before


flows: dict[int, Within] = {}
"""Of flows that run, by what their steps are told: see `flow_of_step` of the glue."""
