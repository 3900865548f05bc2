"""How a step or a flow has ended."""

from __future__ import annotations

from typing import Any, Literal

from ._abi import NULL, string
from ._error import StepError, step_error
from ._values import read_all

_KINDS: tuple[Literal["ok", "error", "cancelled"], ...] = ("ok", "error", "cancelled")


class Outcome:
    """What a deferred function, `unlock` and `done` are told.

    `values` are those of an ok, `error` and `code` those of an error; the code of a cancel is
    `Canceled`, and `reason` says why.
    """

    __slots__ = ("kind", "values", "error", "code", "reason")

    def __init__(self, of: Any):
        self.kind: Literal["ok", "error", "cancelled"] = _KINDS[of.kind]
        self.values: list[Any] = read_all(of.values, of.count)
        self.error: StepError | None = None if of.error == NULL else step_error(of.error)
        self.code = string(of.code)
        self.reason = string(of.reason)

    @property
    def value(self) -> Any:
        """The first value; None: there is none."""
        return self.values[0] if self.values else None

    def result(self) -> Any:
        """The first value of an ok; else raises the error, of a cancel `Canceled`."""
        if self.kind == "ok":
            return self.value
        raise self.error or StepError("Canceled", self.reason)
