"""Errors: StepError, and exceptions of Python on their way through the runtime."""

from __future__ import annotations

import socket
from contextlib import suppress
from typing import Any

from ._abi import NO_TEXT, NULL, ffi, keep, label, lib, running, string, things

_GAI = {
    socket.EAI_NONAME: "ENOTFOUND",
    socket.EAI_AGAIN: "EAI_AGAIN",
    socket.EAI_FAIL: "EAI_FAIL",
    socket.EAI_SERVICE: "EAI_SERVICE",
    socket.EAI_SOCKTYPE: "EAI_SOCKTYPE",
}


class StepError(Exception):
    """What a flow fails with: a code, which handlers compare, and an info for people.

    Raised in a body it fails the step; `raise StepError(...) from error` gives it a cause. Any other
    exception does so, too, as `InternalError`, or with the code of its errno, such as
    `ECONNREFUSED`; it's the `__cause__` then. Guide: docs/python.md#errors

        raise StepError("NotFound", "no such user")
    """

    def __init__(self, code: str, info: str = ""):
        for name, given in (("code", code), ("info", info)):
            if not isinstance(given, str):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise TypeError(f"StepError: {name}: expected a str, got {given!r}")
        super().__init__(code, info)
        self.code = code or "InternalError"
        self.info = info
        self.path = ""
        """Where it was raised, from the root: `page/1/|carts/#2`; empty: it hasn't passed a step."""
        self.also: list[StepError] = []
        """Errors of the same closing that didn't decide it."""
        self.guard: str | None = None
        """The name of the guard or channel that has refused, empty if it has none; None: none has."""
        self.retry_after: int | None = None
        """Of a refusal: milliseconds after which somebody may be let in again."""
        self.waits = ""
        """Of a timeout: what was waited for."""
        self._known: Any = None
        self._cause: BaseException | None = None
        self._latched: object = None

    @staticmethod
    def of(error: BaseException) -> StepError:
        """What an exception is to handlers: a StepError as it is, any other with its code."""
        if isinstance(error, StepError):
            return error
        made = step_error(native(error))
        made.path = getattr(error, _PATH, "")
        return made

    def __str__(self) -> str:
        told = f"{self.code}: {self.info}" if self.info else self.code
        return f"{told} (at {self.path})" if self.path else told


_PATH = "_steptree_path"
"""Where an exception of Python was raised; exceptions have no weak references."""


class LoopControl(BaseException):
    """What `break_loop` and `continue_loop` raise to leave the body. Not to be caught."""

    def __init__(self, word: str, of: object):
        super().__init__(word)
        self.word = word
        self.of = of


# ---- from the runtime ----
#
# A StepError keeps the runtime's error, to be that again when it's raised again. Not if an exception
# of Python is behind it: that would have itself inside, by its traceback, where no garbage collector
# looks.


def _thrown(error: Any) -> BaseException | None:
    """The exception of Python that it is; None: it's none."""
    if not lib.error_foreign(error):
        return None
    thrown = things.get(lib.object_number(lib.error_object(error)))
    if not isinstance(thrown, BaseException):
        return None
    path = string(lib.error_path(error))
    if path:
        with suppress(Exception):  # one that takes no attributes
            setattr(thrown, _PATH, path)
    return thrown


def _read(error: Any) -> StepError:
    """Without its cause."""
    made = StepError(string(lib.error_code(error)), string(lib.error_info(error)))
    made.path = string(lib.error_path(error))
    made.waits = string(lib.error_waits(error))
    ms = lib.error_retry_after(error)
    made.retry_after = None if ms < 0 else ms
    if lib.error_refused(error):
        made.guard = string(lib.error_guard(error))
    while (other := lib.error_also(error, len(made.also))) != NULL:
        made.also.append(step_error(other))
    return made


def exception(error: Any) -> BaseException:
    """An error of the runtime, with its causes: a StepError, or what a body has raised."""
    thrown = _thrown(error)
    return step_error(error) if thrown is None else thrown


def step_error(error: Any) -> StepError:
    """The same; of what a body has raised what that is to handlers."""
    chain = [(error, _read(error))]
    thrown = _thrown(error)
    while thrown is None:
        error = lib.error_cause(error)
        if error == NULL:
            break
        thrown = _thrown(error)
        if thrown is None:
            chain.append((error, _read(error)))
    behind = thrown
    for error, made in reversed(chain):
        made.__cause__ = made._cause = behind  # pyright: ignore[reportPrivateUsage]
        if thrown is None and all(other._known is not None for other in made.also):  # pyright: ignore[reportPrivateUsage]
            _keep(made, error)
        behind = made
    return chain[0][1]


def _keep(made: StepError, error: Any) -> None:
    lib.error_keep(error)
    made._known = ffi.gc(error, lib.error_drop)  # pyright: ignore[reportPrivateUsage]


def check(error: Any) -> None:
    """Raises what a call has failed with."""
    if error != NULL:
        raise step_error(error)


# ---- to the runtime ----


def native(raised: BaseException, depth: int = 0) -> Any:
    """An error of the runtime, good until the next call of this on the same thread."""
    known = getattr(raised, "_known", None)
    if known is not None and raised.__cause__ is getattr(raised, "_cause", None):
        running.last = known
        return known
    cause = NULL
    if raised.__cause__ is not None and depth < 100:
        cause = native(raised.__cause__, depth + 1)
        lib.error_keep(cause)
    try:
        error = _made(raised, cause)
        lib.error_keep(error)
        running.last = ffi.gc(error, lib.error_drop)
        return error
    finally:
        if cause != NULL:
            lib.error_drop(cause)


def once(raised: BaseException) -> Any:
    """The same; given to several steps a StepError is one error."""
    error = native(raised)
    if isinstance(raised, StepError) and raised.__cause__ is None:
        _keep(raised, error)
        raised._cause = None  # pyright: ignore[reportPrivateUsage]
    return error


def forget() -> None:
    """Lets the errors go that were given to the runtime last, with what they hold."""
    if running.last is not None:
        running.last = None
        lib.error_make(NO_TEXT, NO_TEXT, NULL)


def _made(raised: BaseException, cause: Any) -> Any:
    if isinstance(raised, StepError):
        return lib.error_make(label(raised.code), label(raised.info), cause)
    info = str(raised) or type(raised).__name__
    number = raised.errno if isinstance(raised, OSError) else 0
    if isinstance(raised, socket.gaierror):
        number = 0
        if cause == NULL and raised.errno in _GAI:
            cause = lib.error_make(label(_GAI[raised.errno]), label(info), NULL)
    if isinstance(raised, TimeoutError) and not number:
        cause = lib.error_make(label("Timeout"), label(info), cause)
    return lib.python_error(number or 0, label(info), keep(raised), cause)
