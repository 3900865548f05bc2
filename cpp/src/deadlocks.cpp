#include "deadlocks.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "waittext.hpp"

/// Who waits for whom in circles, found in a snapshot: what only a deadline, a failure beside it or
/// a cancel ends.
///
/// A line can't go on while it waits for a guard of which none of those that have it can, or, if
/// all of them have to leave it, while one can't. What isn't known counts as who can: a guard that
/// lines of other tools have, too, or that nobody has. One whose lines run can't while one of them
/// can't, or, if the first that succeeds is enough, while all can't.
namespace steptree::detail {

namespace {

struct Queue;

struct Node {
    std::uint64_t flow;
    std::string path;
    const LineSnapshot* line;
    const GuardSnapshot* guard;
    std::vector<Node*> inside{};
    std::vector<Queue*> frees{};  // what waits for it
    bool goesOn = false;
};

/// Those who wait for a guard, or the one that waits for its lines.
struct Queue {
    std::vector<Node*> nodes{};
    /// How many of what they wait for have to be able to go on before they are.
    std::size_t left = 1;
    std::vector<Node*> holders{};  // of the guard: those that can't go on
};

bool oneIsEnough(const LineSnapshot& line) noexcept {
    if (line.steps.empty()) return false;
    const std::string_view kind = line.steps.back().kind;
    return kind == "race" || kind == "any" || kind == "hedge";
}

/// While somebody reads nobody writes, and who reads waits behind who writes.
bool allHaveToLeave(const GuardSnapshot& guard) noexcept {
    return guard.kind == "rwlock";
}

std::string keyOfNode(std::uint64_t flow, const std::string& path) {
    return std::to_string(flow) + ' ' + path;
}

std::string placeOfNode(const Node& node) {
    return "flow " + std::to_string(node.flow) + " at " + node.path;
}

class Circles {
  public:
    Circles(const std::vector<FlowSnapshot>& flows, const std::vector<GuardSnapshot>& guards) {
        for (const auto& guard : guards) known_.emplace(guard.id, &guard);
        for (const auto& flow : flows) {
            if (flow.line) addLines(flow.id, *flow.line);
        }
        for (Node& node : nodes_) at_.emplace(keyOfNode(node.flow, node.path), &node);
        settle();
    }

    std::vector<std::string> texts() {
        std::vector<std::string> found;
        std::unordered_map<const Node*, const Node*> seen;
        for (Node& first : nodes_) {
            if (first.goesOn) continue;
            const Node* node = &first;
            while (seen.emplace(node, &first).second) node = nextOf(*node);
            if (seen[node] == &first) found.push_back(circleText(*node));
        }
        return found;
    }

  private:
    void addLines(std::uint64_t flow, const LineSnapshot& root) {
        struct Next {
            const LineSnapshot* line;
            Node* around;
            Queue* queue;
        };
        std::vector<Next> open{{&root, nullptr, nullptr}};
        while (!open.empty()) {
            const auto [line, around, queue] = open.back();
            open.pop_back();
            std::string path = around != nullptr ? around->path : "";
            for (const auto& step : line->steps) {
                if (!path.empty()) path += '/';
                path += step.element;
            }
            const auto found = known_.find(line->waits ? line->waits->guard.value_or(0) : 0);
            const GuardSnapshot* const guard = found != known_.end() ? found->second : nullptr;
            Node& node = nodes_.emplace_back(Node{flow, std::move(path), line, guard});
            if (around != nullptr) {
                around->inside.push_back(&node);
                node.frees.push_back(queue);
            }
            if (line->lines.empty()) continue;
            Queue& own = queues_.emplace_back();
            own.nodes.push_back(&node);
            if (!oneIsEnough(*line)) own.left = line->lines.size();
            for (std::size_t i = line->lines.size(); i-- > 0;)
                open.push_back({&line->lines[i], &node, &own});
        }
    }

    /// None: who they are isn't known.
    std::vector<Node*> holdersOf(const GuardSnapshot& guard) const {
        std::vector<Node*> found;
        const auto count = static_cast<std::int64_t>(guard.holders.size());
        if (guard.active != count) return found;
        for (const auto& holder : guard.holders) {
            const auto at = at_.find(keyOfNode(holder.flow, holder.path));
            if (at == at_.end()) return {};
            found.push_back(at->second);
        }
        return found;
    }

    /// From those that can go on to those that wait for them.
    void settle() {
        std::vector<Node*> going;
        for (Node& node : nodes_) {
            if (node.guard != nullptr)
                waiting_[node.guard].nodes.push_back(&node);
            else if (node.line->waits || node.inside.empty())
                going.push_back(&node);
        }
        for (auto& [guard, queue] : waiting_) {
            queue.holders = holdersOf(*guard);
            const auto& nodes = queue.nodes;
            if (queue.holders.empty()) going.insert(going.end(), nodes.begin(), nodes.end());
            if (allHaveToLeave(*guard)) queue.left = queue.holders.size();
            for (Node* const holder : queue.holders) holder->frees.push_back(&queue);
        }
        while (!going.empty()) {
            Node& node = *going.back();
            going.pop_back();
            if (std::exchange(node.goesOn, true)) continue;
            for (Queue* const queue : node.frees) {
                const auto& nodes = queue->nodes;
                if (--queue->left == 0) going.insert(going.end(), nodes.begin(), nodes.end());
            }
        }
        for (auto& [guard, queue] : waiting_)
            std::erase_if(queue.holders, [](const Node* at) { return at->goesOn; });
    }

    /// Why it can't go on.
    const Node* nextOf(const Node& node) const {
        const auto& by = node.guard != nullptr ? waiting_.at(node.guard).holders : node.inside;
        return *std::find_if(by.begin(), by.end(), [](const Node* at) { return !at->goesOn; });
    }

    std::string circleText(const Node& first) const {
        std::string text = "deadlock: " + placeOfNode(first);
        for (const Node* node = &first;;) {
            const Node* const next = nextOf(*node);
            if (node->guard == nullptr)
                text += " waits for " + next->path;
            else
                text += ' ' + waitText(*node->line->waits) + ", held by " + placeOfNode(*next);
            if (next == &first) return text;
            text += ", which";
            node = next;
        }
    }

    std::unordered_map<std::uint64_t, const GuardSnapshot*> known_;
    std::deque<Node> nodes_;
    std::deque<Queue> queues_;  // of lines
    std::unordered_map<const GuardSnapshot*, Queue> waiting_;
    std::unordered_map<std::string, Node*> at_;
};

}  // namespace

std::vector<std::string> deadlocksIn(const std::vector<FlowSnapshot>& flows,
                                     const std::vector<GuardSnapshot>& guards) {
    if (guards.empty()) return {};
    return Circles(flows, guards).texts();
}

}  // namespace steptree::detail
