#include "steptree/snapshottext.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "deadlocks.hpp"
#include "waittext.hpp"

/// A snapshot for people: one line of text for each line of execution. Those inside come behind the
/// one around them, from a list of what is yet to be said: a flow may be any number deep.
namespace steptree {
namespace {

using detail::quoted;
using detail::waitText;

using Guards = std::unordered_map<std::uint64_t, const GuardSnapshot*>;

/// Of a path that is longer the middle is left out; of holders the others are counted.
constexpr std::size_t kElements = 16;
constexpr std::size_t kHolders = 3;

std::string titleOf(const FlowSnapshot& flow) {
    std::string text = "flow " + std::to_string(flow.id) + quoted(flow.name);
    if (flow.state != "running") text += ", " + flow.state;
    if (flow.age) text += ", " + std::to_string(*flow.age) + " ms old";
    if (flow.signal) text += ", with a signal";
    if (flow.deadline) text += ", deadline in " + std::to_string(*flow.deadline) + " ms";
    return text;
}

std::string pathOf(const LineSnapshot& line) {
    const auto& steps = line.steps;
    std::string path;
    const auto say = [&](const std::string& element) {
        if (!path.empty()) path += '/';
        path += element;
    };
    const bool isLong = steps.size() > kElements;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (isLong && i == kElements / 2) {
            say("…");
            i = steps.size() - kElements / 2;
        }
        say(steps[i].element);
    }
    return path;
}

std::string heldBy(const GuardSnapshot& guard) {
    std::string text;
    const std::size_t said = std::min(guard.holders.size(), kHolders);
    for (std::size_t i = 0; i < said; ++i) {
        const auto& [flow, path] = guard.holders[i];
        text += (i == 0 ? ", held by flow " : ", flow ") + std::to_string(flow);
        if (!path.empty()) text += " at " + path;
    }
    const std::size_t others = guard.holders.size() - said;
    if (others > 0) text += " and " + std::to_string(others) + " others";
    return text;
}

std::string withHolders(const WaitSnapshot& wait, const Guards& guards, bool color) {
    std::string text = waitText(wait);
    if (wait.place) text += ", place " + std::to_string(*wait.place);
    if (const auto found = guards.find(wait.guard.value_or(0)); found != guards.end())
        text += heldBy(*found->second);
    if (wait.since) text += ", for " + std::to_string(*wait.since) + " ms now";
    if (!color) return text;
    const bool moves = wait.what == "turn" || wait.what == "code";
    return (moves ? "\x1b[32m" : "\x1b[33m") + text + "\x1b[39m";
}

/// Of the innermost step that has one: what has none was added by that.
std::string sourceText(const std::vector<StepSnapshot>& steps, bool color) {
    for (std::size_t i = steps.size(); i-- > 0;) {
        const std::string& source = steps[i].source;
        if (!source.empty())
            return (color ? " \x1b[2m(" : " (") + source + (color ? ")\x1b[22m" : ")");
    }
    return {};
}

std::string guardText(const GuardSnapshot& guard) {
    std::string text = guard.kind + quoted(guard.name) + ": ";
    if (guard.active) text += std::to_string(*guard.active) + " in, ";
    if (guard.available) text += std::to_string(*guard.available) + " free, ";
    return text + std::to_string(guard.waiting) + " waiting";
}

class Text {
  public:
    Text(const SnapshotTextOptions& options, const std::vector<GuardSnapshot>* guards)
        : options_(options), room_(options.max > 0 ? options.max : kAll) {
        if (guards == nullptr) return;
        for (const auto& guard : *guards) guards_.emplace(guard.id, &guard);
    }

    /// What comes behind the flows has its place, as far as there is more than one.
    void keep(std::vector<std::string> lines) {
        const std::size_t kept = std::min(lines.size(), room_ - 1);
        room_ -= kept;
        left_ += lines.size() - kept;
        lines.resize(kept);
        behind_.insert(behind_.begin(), std::make_move_iterator(lines.begin()),
                       std::make_move_iterator(lines.end()));
    }

    void say(const std::string& line) {
        if (said_ >= room_) {
            ++left_;
            return;
        }
        write(line);
    }

    void flow(const FlowSnapshot& flow) {
        say(titleOf(flow));
        if (flow.line) lines(*flow.line);
    }

    std::string end() && {
        for (const std::string& line : behind_) write(line);
        if (said_ == 0 && left_ == 0) return "no flow runs";
        if (left_ > 0) text_ += "\n… and " + std::to_string(left_) + " more";
        return std::move(text_);
    }

  private:
    static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

    void write(const std::string& line) {
        if (said_++ > 0) text_ += '\n';
        text_ += line;
    }

    struct Next {
        const LineSnapshot* line;
        std::string indent;
        bool isLast;
    };

    void lines(const LineSnapshot& root) {
        std::vector<Next> next{{&root, "", true}};
        while (!next.empty()) {
            const Next at = std::move(next.back());
            next.pop_back();
            const LineSnapshot& line = *at.line;
            say(at.indent + (at.isLast ? "└─ " : "├─ ") + textOf(line));
            const std::string indent = at.indent + (at.isLast ? "   " : "│  ");
            for (std::size_t i = line.lines.size(); i-- > 0;)
                next.push_back({&line.lines[i], indent, i + 1 == line.lines.size()});
        }
    }

    std::string textOf(const LineSnapshot& line) const {
        std::string text = pathOf(line);
        if (!line.steps.empty()) {
            const StepSnapshot& last = line.steps.back();
            text += ' ' + last.kind;
            if (last.timeout) text += ", its limit in " + std::to_string(*last.timeout) + " ms";
        }
        if (line.waits) {
            if (!text.empty()) text += ": ";
            text += withHolders(*line.waits, guards_, options_.color);
        }
        return text + sourceText(line.steps, options_.color);
    }

    const SnapshotTextOptions& options_;
    Guards guards_;
    std::string text_;
    std::vector<std::string> behind_;
    std::size_t room_;
    std::size_t said_ = 0;
    std::size_t left_ = 0;
};

}  // namespace

std::string snapshotText(const Snapshot& shown, const SnapshotTextOptions& options) {
    Text text(options, &shown.guards);
    std::vector<std::string> guards;
    for (const auto& guard : shown.guards) guards.push_back(guardText(guard));
    text.keep(detail::deadlocksIn(shown.flows, shown.guards));
    text.keep(std::move(guards));
    for (const auto& flow : shown.flows) text.flow(flow);
    return std::move(text).end();
}

std::string snapshotText(const FlowSnapshot& shown, const SnapshotTextOptions& options) {
    Text text(options, nullptr);
    text.flow(shown);
    return std::move(text).end();
}

}  // namespace steptree
