"""What steps are made of: a body, or a step value in its place, and an error handler."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any, Concatenate, TypeAlias

from ._abi import NULL, ffi, keep, lib
from ._error import StepError

if TYPE_CHECKING:
    from ._accessor import IAsyncSteps
    from ._outcome import Outcome

Body: TypeAlias = "Callable[Concatenate[IAsyncSteps, ...], object]"
"""Gets the accessor, and as many of the values of the step before as it takes."""
Handler: TypeAlias = "Callable[[IAsyncSteps, str], object]"
"""Gets the accessor and the code."""
Deferred: TypeAlias = "Callable[[IAsyncSteps, Outcome], object]"


_YIELDS = inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR


class Code:
    """A body and an error handler, either of which may be None."""

    __slots__ = ("body", "onerror", "gives", "__weakref__")

    def __init__(self, body: object, onerror: Handler | None = None, gives: bool = True):
        if isinstance(body, FunctionType) and body.__code__.co_flags & _YIELDS:
            raise StepError("InternalError", f"{body.__name__}: a function that yields is no body")
        self.body = body
        self.onerror = onerror
        self.gives = gives


def closure(
    body: object,
    onerror: Handler | None = None,
    *,
    value: Any = NULL,
    gives: bool = True,
    number_of: Callable[[Code], int] = keep,
) -> Any:
    """`number_of`: who keeps the code."""
    made = ffi.new("steptree_closure*")
    needed = body is not None or onerror is not None
    number = number_of(Code(body, onerror, gives)) if needed else 0
    lib.set_closure(made, number, body is not None, onerror is not None, value)
    return made
