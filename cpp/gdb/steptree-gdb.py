"""What the flows of a C++ program do, for gdb: of a process that runs, and of a core dump.

    (gdb) steptree flows            all flows of all tools, as snapshotText() shows them
    (gdb) steptree events           what the tools' flight recorders have, as their text() says it

It calls nothing in the process: it reads the tree of open steps by the library's debug information (-g), so it works where the process
has crashed, or is stuck in a body. What time it is, and what each guard's queue looks like, is known by a snapshot alone.
"""

import json
import re
import sys

import gdb

DETAIL = "steptree::detail::"
FLOWS = 200  # are shown at most; the others are counted
ELEMENTS = 16  # of a path; of a longer one the middle is left out
CHARACTERS = 64  # of a name; of a longer one the end is left out


def type_of(name):
    return gdb.lookup_type(DETAIL + name)


def at(address, name):
    """The object of that type that stands there."""
    return gdb.Value(int(address)).cast(type_of(name).pointer()).dereference()


def flags_of(name):
    """The numbers of an enumeration, by their names."""
    return {field.name.rsplit("::", 1)[-1]: field.enumval for field in type_of(name).fields()}


def text_of(string):
    """A std::string as it is, whatever pretty printers there are."""
    pointer, size = string["_M_dataplus"]["_M_p"], int(string["_M_string_length"])
    return bytes(gdb.selected_inferior().read_memory(int(pointer), size)).decode(errors="replace") if size else ""


class Engine:
    """The engine's own numbers: they are read from the program, and written nowhere else."""

    def __init__(self):
        self.step_flags = flags_of("StepFlag")
        self.phases = {number: name for name, number in flags_of("Phase").items()}
        self.elements = flags_of("PathElement")
        self.marks = flags_of("Mark")
        self.bits = flags_of("FlowBit")
        self.extras = flags_of("Extra::Type")
        self.waits = {number: name for name, number in flags_of("Waits::For").items()}
        self.other = flags_of("StepKind")["other"]
        self.kinds = gdb.lookup_global_symbol(DETAIL + "kKinds").value()["_M_elems"]

    def has(self, step, flag):
        return int(step["flags"]) & self.step_flags[flag] != 0

    def kind_of(self, step):
        number = int(step["kind"])
        if number != self.other:
            return self.kinds[number].dereference()
        in_front = int(step.address) - gdb.lookup_type("void").pointer().sizeof
        return gdb.Value(in_front).cast(type_of("Kind").pointer().pointer()).dereference().dereference()

    def name_of(self, step):
        place = self.closure_of(step) + int(step["ops"]["room"])
        if self.has(step, "kHandler"):
            handler = at(place, "HandlerPart")
            place += handler.type.sizeof + int(handler["ops"]["room"])
        part = at(place, "NamePart")
        size = int(part["size"])
        if self.has(step, "kLabelled") and self.kind_of(step)["isLoop"]:
            place += (part.type.sizeof + size + 7) & ~7
            size = int(at(place, "NamePart")["size"])
        return bytes(gdb.selected_inferior().read_memory(place + part.type.sizeof, size)).decode(errors="replace")

    def closure_of(self, step):
        return int(step.address) + step.type.sizeof + int(self.kind_of(step)["size"])

    def kind_name(self, step):
        name = self.kind_of(step)["name"]
        return name.string() if int(name) != 0 else None

    def element_of(self, step, in_branch=False):
        """As in paths: see spec/parallel.md and spec/loop.md."""
        element, number = int(self.kind_of(step)["element"]), int(step["index"])
        line = step["line"].dereference()
        if element == self.elements["round"]:
            number = int(step["turn"])
        elif int(step["parent"]) == 0 and self.is_branch(line):
            element, number = self.elements["branch"], int(at(line.address, "Branch")["index"])
        elif self.has(step, "kRound"):
            element = self.elements["round"]
        elif in_branch:
            element = self.elements["branch"]
        named = self.has(step, "kNamed") and element in (self.elements["step"], self.elements["branch"])
        sign = {self.elements["round"]: "#", self.elements["branch"]: "|", self.elements["deferred"]: "~"}.get(element, "")
        return sign + (self.name_of(step) if named else str(number))

    def is_branch(self, line):
        return int(line["flow"].dereference().cast(type_of("Line")).address) != int(line.address)

    def shown(self, step):
        return not self.has(step, "kHidden") and self.kind_name(step) is not None

    def wait_of(self, line, steps):
        """The table of spec/observe.md, as far as the tree tells it."""
        top = steps[-1]
        phase = self.phases[int(top["phase"])]
        if int(line["next"]) != 0 or phase in ("claimed", "queued"):
            return "its turn is next"
        if phase in ("body", "handler", "cancel", "closed"):
            return "runs"
        last = self.seen_of(steps)[-1]
        if self.locks(last):
            guard = at(int(last.address) + last.type.sizeof, "SyncPart")["guard"]
            return "waits for " + self.guard_name(guard.dereference())
        if self.kind_name(top) == "delay":
            timer = self.extra_of(top, "timer", "TimerExtra")
            armed = timer is not None and int(timer.cast(type_of("TimerNode"))["next"]) != 0
            return "waits for its timer" if armed else "waits for ever"
        waiter = self.waiter_of(top)
        if waiter is not None:
            return "waits for " + self.waited_for(waiter)
        if phase == "awaiting":
            return "awaits a promise"
        if phase == "waiting":
            external = int(line["marks"]) & self.marks["kExternal"]
            awaited = self.extra_of(top, "await", "AwaitExtra")
            if awaited is not None and not (awaited["settled"] and external):
                return "awaits a promise"
            return "waits for its completion" if external else "waits for success() or error() of its accessor"
        return None

    def extra_of(self, step, name, type):
        extra = step["extras"]
        while int(extra) != 0 and int(extra["type"]) != self.extras[name]:
            extra = extra["next"]
        return extra.dereference().cast(type_of(type)) if int(extra) != 0 else None

    def locks(self, step):
        return self.has(step, "kLocking") and not self.kind_of(step)["isLoop"]

    def seen_of(self, steps):
        """What the lock of a section is made of isn't shown."""
        for i, step in enumerate(steps):
            if self.locks(step):
                return steps[: i + 1]
        return steps

    def waiter_of(self, step):
        """What it has in a guard or channel, whose type only the name of the function knows that has made it."""
        extra = self.extra_of(step, "wait", "WaitExtra")
        if extra is None or int(extra["ops"]["waits"]) == 0:
            return None
        made_by = gdb.execute(f"info symbol {int(extra['ops'])}", to_string=True)
        return gdb.Value(int(extra.address) + extra.type.sizeof).cast(first_argument(made_by, "newWait<").pointer()).dereference()

    def waited_for(self, waiter):
        if not has_field(waiter.type, "pipe"):
            return self.guard_name(waiter["on"].referenced_value())
        name = quoted(text_of(waiter["pipe"].referenced_value()["name_"]))
        channel = f"channel {name}" if name else "a channel"
        whose = str(waiter["whose"]).rsplit("::", 1)[-1]
        return ("room in " if whose == "sender" else "a value of ") + channel

    def guard_name(self, guard):
        guard = guard.cast(guard.dynamic_type)
        if has_field(guard.type, "mutex_") and guard["mutex_"].type.code == gdb.TYPE_CODE_REF:
            return self.guard_name(guard["mutex_"].referenced_value())  # places of it
        if has_field(guard.type, "guard_"):  # that of a key
            return self.guard_name(guard["guard_"].dereference()) if int(guard["guard_"]) else "a guard of the program"
        if has_field(guard.type, "guard"):
            return "a guard of the program"
        side = ""
        if has_field(guard.type, "writes_"):
            side = ".write" if guard["writes_"] else ".read"
            guard = guard["owner_"].referenced_value()
        kind = str(guard.type.strip_typedefs()).split("<")[0].rsplit("::", 1)[-1].removeprefix("Basic").lower()
        name = quoted(text_of(guard["name_"])) if has_field(guard.type, "name_") else ""
        return " ".join(word for word in (kind + side, name) if word)

    def branches_of(self, step):
        if not self.kind_of(step)["hasBranches"]:
            return
        branch = at(int(step.address) + step.type.sizeof, "HostPart")["eldest"]
        while int(branch) != 0:
            yield branch.dereference()
            branch = branch.dereference()["younger"]

    def say_lines(self, flow, say):
        """Those inside come behind the one around them, in a list of what is yet to be said: a flow may be very deep."""
        todo = [(flow.cast(type_of("Line")), "", "└─ ")]
        while todo:
            line, indent, mark = todo.pop()
            steps = self.steps_of(line)
            inside = list(self.branches_of(steps[-1])) if steps else []
            inside = [branch for branch in inside if int(branch["top"]) != 0 or int(branch["first"]) != 0]
            taking = [branch for branch in inside if self.takes(branch)]
            inside = [branch for branch in inside if branch not in taking]
            say(indent + mark + self.line_text(line, steps, inside, taking))
            deeper = indent + ("   " if mark == "└─ " else "│  ")
            for i in range(len(inside) - 1, -1, -1):
                todo.append((inside[i].cast(type_of("Line")), deeper, "└─ " if i == len(inside) - 1 else "├─ "))

    def takes(self, branch):
        """A map's, which waits for the next item: nobody sees it."""
        return int(branch["top"]) != 0 and not any(self.shown(step) for step in self.steps_of(branch))

    def steps_of(self, line):
        steps = []
        step = line["top"]
        while int(step) != 0:
            steps.append(step.dereference())
            step = step.dereference()["parent"]
        steps.reverse()
        return steps

    def line_text(self, line, steps, inside, taking):
        shown = [step for step in self.seen_of(steps) if self.shown(step)]
        if not shown:
            first = line["first"]
            if not steps and int(first) != 0 and self.is_branch(line):
                return self.element_of(first.dereference(), True) + ": its turn is next"
            return "its turn is next"
        ends = shown if len(shown) <= ELEMENTS else shown[: ELEMENTS // 2] + [None] + shown[-ELEMENTS // 2 :]
        elements = ["…" if step is None else self.element_of(step) for step in ends]
        where = "/".join(elements) + " " + self.kind_name(shown[-1])
        waits = [self.wait_of(branch, self.steps_of(branch)) for branch in taking]
        wait = waits[0] if waits else None if inside else self.wait_of(line, steps)
        source = next(filter(None, map(self.source_of, reversed(self.seen_of(steps)))), None)
        return where + (f": {wait}" if wait is not None else "") + (f" ({source})" if source else "")

    def source_of(self, step):
        """Where its body was written, if the program was compiled without NDEBUG."""
        is_round = int(self.kind_of(step)["element"]) == self.elements["round"]
        with_body = step["parent"].dereference() if is_round else step
        ops = with_body["ops"]
        if int(ops) == 0:
            return None
        written = ops["written"]
        if int(written) == 0:
            return None
        if int(written["line"]) != 0:
            return f"{written['file'].string()}:{int(written['line'])}"
        said = re.search(r"\(lambda at (.*?)\)|F = (.*?)::<lambda", written["type"].string())
        return said and (said[1] or "in " + said[2])

    def flow_text(self, flow):
        cancelling = int(flow["bits"]) & (self.bits["kCancelLatch"] | self.bits["kCancelling"])
        extras = self.extras_of(flow)
        number = int(extras["number"]) if extras is not None else 0
        title = ["flow", str(number) if number else "", quoted(self.flow_name(flow))]
        return " ".join(word for word in title if word) + (", cancelling" if cancelling else "")

    def flow_name(self, flow):
        extras = self.extras_of(flow)
        options = extras["options"]["_M_ptr"] if extras is not None else 0
        return text_of(options.dereference()["name"]) if int(options) != 0 else ""

    def extras_of(self, flow):
        """See Flow::rare in cpp/src/tree.hpp, whose constants an optimised program no longer has."""
        deadline, fixed, tags = 3, 2, 3
        rest = int(flow["rare"])
        if rest & tags == deadline:
            rest = int(at(rest - deadline, "Deadline")["rare"])
        if rest & tags == fixed:
            rest = int(at(rest - fixed, "FixedParts")["extras"])
        return None if rest == 0 or rest & tags else at(rest, "FlowExtras")


def flows_of(core):
    head = core["flowsLive"]["head_"]
    live = head["after"]
    while int(live) != int(head.address):
        yield live.cast(type_of("Flow").pointer()).dereference()
        live = live.dereference()["after"]


def tools():
    last = gdb.lookup_static_symbol(DETAIL + "(anonymous namespace)::lastTool")
    if last is None:
        raise gdb.GdbError("steptree: the library has no debug information here: build it with -g")
    core = last.value()
    while int(core) != 0:
        yield core.dereference()
        core = core.dereference()["before_"]


class Recording:
    """What a flight recorder has: see cpp/src/ring.hpp, and how cpp/src/ringreader.cpp reads it."""

    def __init__(self, engine, ring):
        self.engine = engine
        self.texts = ring["texts_"]
        self.slots = first_of(ring["slots_"]).cast(type_of("RecordedSlot").pointer())
        room, first, count = (int(ring[name]) for name in ("room_", "first_", "count_"))
        self.places = [(first + i) % room for i in range(count)]
        self.whats = {number: name for name, number in flags_of("What").items()}
        self.signs = {engine.elements["round"]: "#", engine.elements["branch"]: "|", engine.elements["deferred"]: "~"}
        self.closed = {}
        self.ended = {}

    def text_at(self, ref):
        if int(ref) == 0:
            return ""
        memory = gdb.selected_inferior()
        place = int(first_of(self.texts["bytes_"])) + (int(ref) - 1) % int(self.texts["room_"])
        size = int.from_bytes(bytes(memory.read_memory(place, 2)), sys.byteorder)
        return bytes(memory.read_memory(place + 2, size)).decode(errors="replace")

    def lines(self):
        """From the end on: so what closes later is known."""
        lines = []
        for place in reversed(self.places):
            slot = self.slots[place]
            what = self.whats[int(slot["what"])]
            if what == "closed":
                self.closed[int(slot["step"])] = slot
            if what == "ended":
                self.ended[int(slot["flow"])] = int(slot["number"])
            lines.append(self.line_of(slot, what))
        return reversed(lines)

    def line_of(self, slot, what):
        flow = "flow" + "".join(" " + word for word in (self.number_of(int(slot["flow"])), quoted(self.text_at(slot["flowName"]))) if word)
        words = [str(int(slot["time"])), flow, escaped(self.path_of(int(slot["step"]))), what]
        words.append(self.wait_of(slot) if what == "waits" else slot["kind"].string() if what == "opened" else slot["outcome"].string())
        words.append(escaped(self.text_at(slot["code"])))
        return " ".join(word for word in words if word)

    def number_of(self, flow):
        number = self.ended.get(flow)
        if number is None:
            extras = self.engine.extras_of(at(flow, "Flow"))
            number = int(extras["number"]) if extras is not None else 0
        return str(number) if number else ""

    def path_of(self, step):
        elements = []
        while step:
            slot = self.closed.get(step)
            elements.append(self.closed_element(slot) if slot is not None else shortened(self.engine.element_of(at(step, "Step"))))
            step = int(slot["parent"]) if slot is not None else self.around(at(step, "Step"))
        elements.reverse()
        if len(elements) > ELEMENTS:
            elements = elements[: ELEMENTS // 2] + ["…"] + elements[-ELEMENTS // 2 :]
        return "/".join(elements)

    def closed_element(self, slot):
        name = self.text_at(slot["text"])
        return name or self.signs.get(int(slot["element"]), "") + str(int(slot["number"]))

    def around(self, step):
        """The next one that was told."""
        while True:
            line = step["line"].dereference()
            outer = step["parent"]
            if int(outer) == 0:
                if not self.engine.is_branch(line):
                    return 0
                outer = at(line.address, "Branch")["host"]
            step = outer.dereference()
            if self.engine.has(step, "kShown"):
                return int(step.address)

    def wait_of(self, slot):
        word = self.engine.waits[int(slot["waits"])]
        kind = slot["kind"].string() if int(slot["kind"]) != 0 else ""
        number = str(int(slot["number"])) if slot["hasNumber"] else "Infinity" if word == "timer" else ""
        return " ".join(part for part in (word, kind, quoted(self.text_at(slot["text"])), number) if part)


def has_field(type, name):
    return any(field.name == name or (field.is_base_class and has_field(field.type, name)) for field in type.strip_typedefs().fields())


def first_argument(text, template):
    """The type that stands first in the brackets of a template."""
    begin = end = text.index(template) + len(template)
    depth = 0
    while depth > 0 or text[end] not in ",>":
        depth += {"<": 1, ">": -1}.get(text[end], 0)
        end += 1
    return gdb.lookup_type(text[begin:end].strip())


def first_of(holder):
    """What a std::unique_ptr or std::shared_ptr points at, whatever its own parts are called."""
    return holder.address.cast(gdb.lookup_type("void").pointer().pointer()).dereference()


def quoted(name):
    return json.dumps(name, ensure_ascii=False) if name else ""


def escaped(text):
    return "".join(json.dumps(c)[1:-1] if c < " " else c for c in text)


def shortened(name):
    return name if len(name) <= CHARACTERS else name[: CHARACTERS - 1] + "…"


def recordings_of(core):
    observers = first_of(core["engine"]["observers"])
    if int(observers) == 0:
        return
    sinks = at(observers, "Observers")["sinks"]["_M_impl"]
    each, end = sinks["_M_start"], sinks["_M_finish"]
    while int(each) != int(end):
        sink = at(first_of(each.dereference()), "Sink")
        if sink.dynamic_type == type_of("Ring"):
            yield sink.cast(sink.dynamic_type)
        each += 1


class Steptree(gdb.Command):
    """Flows of steptree."""

    def __init__(self):
        super().__init__("steptree", gdb.COMMAND_STATUS, prefix=True)


class Flows(gdb.Command):
    """steptree flows: what all flows of the program do, and what each of their lines waits for."""

    def __init__(self):
        super().__init__("steptree flows", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        engine, count = None, 0
        for core in tools():
            for flow in flows_of(core):
                engine = engine or Engine()
                count += 1
                if count <= FLOWS:
                    gdb.write(engine.flow_text(flow) + "\n")
                    engine.say_lines(flow, lambda text: gdb.write(text + "\n"))
        if count > FLOWS:
            gdb.write(f"… and {count - FLOWS} more flows\n")
        if count == 0:
            gdb.write("no flow runs\n")


class Events(gdb.Command):
    """steptree events: what the flight recorders of the program have, the oldest first."""

    def __init__(self):
        super().__init__("steptree events", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        engine = None
        for core in tools():
            for ring in recordings_of(core):
                engine = engine or Engine()
                for line in Recording(engine, ring).lines():
                    gdb.write(line + "\n")
        if engine is None:
            gdb.write("no recorder is there\n")


Steptree()
Flows()
Events()
