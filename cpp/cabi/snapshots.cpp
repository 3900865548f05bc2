#include "snapshots.hpp"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace steptree::cabi {

namespace {

/// A map, entry by entry; what is empty is left out.
class Fields {
  public:
    void put(std::string_view key, Value value) {
        entries_.emplace_back(Value(key), std::move(value));
    }
    void put(std::string_view key, std::string_view text) { put(key, Value(text)); }
    void putUnlessEmpty(std::string_view key, std::string_view text) {
        if (!text.empty()) put(key, text);
    }
    template <class T>
    void put(std::string_view key, const std::optional<T>& number) {
        if (number) put(key, Value(static_cast<std::int64_t>(*number)));
    }
    void put(std::string_view key, std::int64_t number) { put(key, Value(number)); }
    void put(std::string_view key, std::uint64_t number) {
        put(key, Value(static_cast<std::int64_t>(number)));
    }
    template <class T, class Of>
    void put(std::string_view key, const std::vector<T>& all, Of of) {
        std::vector<Value> items;
        for (const T& one : all) items.push_back(of(one));
        put(key, Value::listOf(items));
    }
    Value made() const { return Value::mapOf(entries_); }

  private:
    std::vector<std::pair<Value, Value>> entries_;
};

Value valueOf(const StepSnapshot& step) {
    Fields fields;
    fields.put("element", step.element);
    fields.put("kind", step.kind);
    fields.put("timeout", step.timeout);
    return fields.made();
}

Value valueOf(const LineSnapshot& line) {
    Fields fields;
    fields.put("steps", line.steps, [](const StepSnapshot& step) { return valueOf(step); });
    if (line.waits) fields.put("waits", cabi::valueOf(*line.waits));
    fields.put("lines", line.lines, [](const LineSnapshot& inside) { return valueOf(inside); });
    return fields.made();
}

Value valueOf(const GuardSnapshot& guard) {
    Fields fields;
    fields.put("id", guard.id);
    fields.put("kind", guard.kind);
    fields.put("name", guard.name);
    fields.put("waiting", guard.waiting);
    fields.put("active", guard.active);
    fields.put("available", guard.available);
    fields.put("holders", guard.holders, [](const GuardSnapshot::Holder& holder) {
        Fields of;
        of.put("flow", holder.flow);
        of.put("path", holder.path);
        return of.made();
    });
    return fields.made();
}

}  // namespace

Value valueOf(const WaitSnapshot& wait) {
    Fields fields;
    fields.put("for", wait.what);
    fields.put("ms", wait.ms);
    fields.put("guard", wait.guard);
    fields.putUnlessEmpty("kind", wait.kind);
    fields.putUnlessEmpty("name", wait.name);
    fields.put("place", wait.place);
    fields.put("since", wait.since);
    return fields.made();
}

Value valueOf(const FlowSnapshot& flow) {
    Fields fields;
    fields.put("id", flow.id);
    fields.put("name", flow.name);
    fields.put("state", flow.state);
    fields.put("signal", Value(flow.signal));
    fields.put("deadline", flow.deadline);
    fields.put("age", flow.age);
    if (flow.line) fields.put("line", valueOf(*flow.line));
    return fields.made();
}

Value valueOf(const Snapshot& snapshot) {
    Fields fields;
    fields.put("time", snapshot.time);
    fields.put("flows", snapshot.flows, [](const FlowSnapshot& flow) { return valueOf(flow); });
    fields.put("guards", snapshot.guards,
               [](const GuardSnapshot& guard) { return valueOf(guard); });
    return fields.made();
}

Value valueOf(const RecordedEvent& event) {
    Fields flow;
    flow.put("id", event.flow.id);
    flow.put("name", event.flow.name);
    Fields fields;
    fields.put("what", event.what);
    fields.put("time", event.time);
    fields.put("sequence", event.sequence);
    fields.put("flow", flow.made());
    fields.putUnlessEmpty("path", event.path);
    fields.putUnlessEmpty("element", event.element);
    fields.putUnlessEmpty("kind", event.kind);
    fields.putUnlessEmpty("outcome", event.outcome);
    fields.putUnlessEmpty("code", event.code);
    fields.putUnlessEmpty("waits", event.waits);
    if (event.clock) fields.put("clock", Value(*event.clock));
    return fields.made();
}

}  // namespace steptree::cabi
