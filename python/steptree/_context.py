"""In which context the code of a flow runs: that of whoever has started it, as a task has."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextvars import copy_context
from typing import TYPE_CHECKING, Any

from ._abi import running

if TYPE_CHECKING:
    from ._error import StepError

_PACKAGE = os.path.dirname(__file__) + os.sep
_MOST = 16


def _notes_of(raised: StepError) -> tuple[str, ...]:
    """Its own, and the line of the program that has raised it."""
    at, line = raised.__traceback__, ""
    while at is not None:
        code = at.tb_frame.f_code
        if not code.co_filename.startswith(_PACKAGE):
            line = f"raised at {code.co_filename}:{at.tb_lineno}, in {code.co_name}"
        at = at.tb_next
    notes = tuple(str(note) for note in getattr(raised, "__notes__", ()))
    return (*notes, line) if line else notes


class Within:
    """The context of one run of a flow, a copy that is the run's own."""

    __slots__ = ("_context", "_inside", "_raised", "report")

    def __init__(self, report: Callable[[Any], object]) -> None:
        self._context = copy_context()
        self._inside = False
        self._raised: dict[tuple[str, str], tuple[str, ...]] | None = None
        self.report = report

    def raises(self, error: StepError) -> None:
        """Keeps the notes of a StepError that a body raises, as texts: the traceback would keep all
        that its frames know. Of two that are alike, but not of one place, nothing is known."""
        notes, key = _notes_of(error), (error.code, error.info)
        if self._raised is None:
            self._raised = {}
        known = self._raised.pop(key, notes)
        self._raised[key] = notes if known == notes else ()
        if len(self._raised) > _MOST:
            del self._raised[next(iter(self._raised))]

    def notes(self, error: StepError | None) -> None:
        """Gives them to the error that arrives."""
        if error is None or self._raised is None:
            return
        for note in self._raised.get((error.code, error.info), ()):
            error.add_note(note)

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
