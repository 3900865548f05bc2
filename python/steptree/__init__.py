"""Business logic as a tree of small steps, with limits, deadlines and cancellation.

The same runtime as in C++ and JavaScript, on asyncio's loop. Guide: docs/python.md
"""

import os as _os

from . import _calls as _calls
from ._accessor import IAsyncSteps, Local
from ._adder import Branches
from ._channel import Channel
from ._definition import (
    RetryBudget,
    Step,
    all,
    any,
    delay,
    for_each,
    hedge,
    loop,
    map,
    parallel,
    race,
    repeat,
    retry,
    shield,
    step,
    steps,
    sync,
)
from ._error import LoopControl, StepError
from ._flow import AsyncSteps
from ._guard import Barrier, Breaker, CustomGuard, Gate, Guard, Keyed, Limiter, Mutex, RwLock, Throttle
from ._observe import Event, FlightRecorder, observe, watch_stalls
from ._operation import Awaiter, Completion, Operation
from ._outcome import Outcome
from ._plugin import PluginHost
from ._plugininfo import PluginHandler, PluginInfo
from ._scope import Scope
from ._signal import Handle, Signal
from ._state import State
from ._tool import AsyncioTool, Tool, VirtualTool, default_tool, run
from ._unload import Unload



def get_include() -> str:
    """The folder of the headers that plug-ins in C and C++ are compiled with. Guide:
    docs/python.md#plug-ins"""
    return _os.path.join(_os.path.dirname(_os.path.abspath(__file__)), "include")


__all__ = [
    "AsyncSteps",
    "AsyncioTool",
    "Awaiter",
    "Barrier",
    "Branches",
    "Breaker",
    "Channel",
    "Completion",
    "CustomGuard",
    "Event",
    "FlightRecorder",
    "Gate",
    "Guard",
    "Handle",
    "IAsyncSteps",
    "Keyed",
    "Limiter",
    "Local",
    "LoopControl",
    "Mutex",
    "Operation",
    "Outcome",
    "PluginHandler",
    "PluginHost",
    "PluginInfo",
    "RetryBudget",
    "RwLock",
    "Scope",
    "Signal",
    "State",
    "Step",
    "StepError",
    "Throttle",
    "Tool",
    "Unload",
    "VirtualTool",
    "all",
    "any",
    "default_tool",
    "delay",
    "for_each",
    "get_include",
    "hedge",
    "loop",
    "map",
    "observe",
    "parallel",
    "race",
    "repeat",
    "retry",
    "run",
    "shield",
    "step",
    "steps",
    "sync",
    "watch_stalls",
]
