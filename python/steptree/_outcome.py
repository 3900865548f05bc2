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

    kind: Literal["ok", "error", "cancelled"]
    values: list[Any]
    error: StepError | None
    code: str
    reason: str

    def __init__(self, of: Any):
        self.kind = _KINDS[of.kind]
        self.values = read_all(of.values, of.count)
        self.error = None if of.error == NULL else step_error(of.error)
        self.code = string(of.code)
        self.reason = string(of.reason)

    @classmethod
    def unreadable(cls, why: BaseException) -> Outcome:
        """Of what can't be had in Python, such as a value of a kind of C++: an error."""
        made = cls.__new__(cls)
        made.kind, made.values, made.reason = "error", [], ""
        made.error = StepError.of(why)
        made.code = made.error.code
        return made

    @property
    def value(self) -> Any:
        """The first value; None: there is none."""
        return self.values[0] if self.values else None

    def result(self) -> Any:
        """The first value of an ok; else raises the error, of a cancel `Canceled`."""
        if self.kind == "ok":
            return self.value
        raise self.error or StepError("Canceled", self.reason)
