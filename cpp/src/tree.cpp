#include "tree.hpp"

#include <cstring>

#include "cold.hpp"
#include "engine.hpp"
#include "extras.hpp"

namespace steptree::detail {

namespace {

constexpr ClosureOps kNoClosure{0, false, nullptr, nullptr, nullptr};

std::size_t sizeOf(const StepSpec& spec, const ClosureOps& ops) noexcept {
    std::size_t size = sizeof(Step) + partSize(spec.kind) + rounded(ops.size);
    if (spec.handler != nullptr) size += sizeof(HandlerPart) + rounded(spec.handler->size);
    if (!spec.text.empty()) size += rounded(sizeof(NamePart) + spec.text.size());
    return size;
}

/// Destroys a closure again if what follows it can't be made.
struct Undo {
    const ClosureOps* ops;
    void* closure;
    ~Undo() {
        if (ops != nullptr && ops->destroy != nullptr) ops->destroy(closure);
    }
};

void* nameAt(Step& step) noexcept {
    char* place = static_cast<char*>(closureOf(step)) + rounded(step.ops->size);
    if ((step.flags & kHandler) == 0) return place;
    return place + sizeof(HandlerPart) + rounded(handlerOf(step).ops->size);
}

void makeText(Step& step, std::string_view text) noexcept {
    auto* part = ::new (nameAt(step)) NamePart{static_cast<std::uint32_t>(text.size())};
    char* to = reinterpret_cast<char*>(part + 1);
    std::memcpy(to, text.data(), text.size());
    if (step.isLoop()) {
        partOf<LoopPart>(step).label = {to, text.size()};
    } else {
        step.flags |= kNamed;
    }
}

void makePart(Line& line, Step& step, Step* owner, const StepSpec& spec) noexcept {
    if (step.isLoop()) {
        const std::int64_t count = step.kind == StepKind::loop ? kForever : spec.count;
        ::new (&step + 1) LoopPart{Step(StepKind::iteration, &kNoClosure), -1, count, {}, false};
    } else if (step.kind == StepKind::parallel) {
        ::new (&step + 1) ParallelPart(step, line, owner);
    }
}

Step& makeBare(Line& line, const ClosureOps& ops) {
    void* memory = line.arena.allocate(*line.flow->tool, sizeof(Step) + rounded(ops.size));
    return *::new (memory) Step(StepKind::plain, &ops);
}

void link(Line& line, Step* owner, Step& step) noexcept {
    Step*& first = owner != nullptr ? owner->next : line.first;
    step.index = (owner != nullptr ? owner->count : line.count)++;
    (first == nullptr ? first : line.tail->next) = &step;
    line.tail = &step;
}

/// A step that is in no level yet. Throws what the closures' constructors throw, or bad_alloc.
Step& makeStep(Line& line, Step* owner, const StepSpec& spec) {
    const ClosureOps& ops = spec.ops != nullptr ? *spec.ops : kNoClosure;
    void* memory = line.arena.allocate(*line.flow->tool, sizeOf(spec, ops));
    Step& step = *::new (memory) Step(spec.kind, &ops);
    constructClosure(ops, closureOf(step), spec.source);
    if (ops.destroy != nullptr) step.flags |= kOwns;
    if (spec.handler != nullptr) {
        Undo undo{&ops, closureOf(step)};
        HandlerPart& part = handlerOf(step);
        part.ops = spec.handler;
        constructClosure(*spec.handler, &part + 1, spec.handlerSource);
        undo.ops = nullptr;
        step.flags |= spec.handler->destroy != nullptr ? kHandler | kOwns : kHandler;
    }
    if (spec.kind != StepKind::plain) makePart(line, step, owner, spec);
    if (!spec.text.empty()) makeText(step, spec.text);
    return step;
}

void destroyClosure(Step& step, const ClosureOps& ops, void* closure) noexcept {
    if (ops.destroy == nullptr) return;
    try {
        ops.destroy(closure);
    } catch (...) {
        if (step.line != nullptr) report(*step.line->flow, std::current_exception(), step);
    }
}

void destroyExtra(Step& step, Extra& extra) noexcept {
    switch (extra.type) {
        case Extra::timer:
            step.line->core().disarm(static_cast<TimerExtra&>(extra));
            break;
        case Extra::cancel: {
            auto& cancel = static_cast<CancelExtra&>(extra);
            destroyClosure(step, *cancel.ops, cancel.closure());
            break;
        }
        case Extra::stack: {
            auto& stack = static_cast<StackExtra&>(extra);
            const ClosureOps ops{0, false, nullptr, stack.destroy, nullptr};
            destroyClosure(step, ops, stack.object);
            break;
        }
        case Extra::await: {
            auto& await = static_cast<AwaitExtra&>(extra);
            releaseAwaited(await);
            if (await.owned) destroyClosure(step, *await.ops, await.closure);
            break;
        }
    }
}

}  // namespace

std::string_view nameOf(Step& step) noexcept {
    const auto* part = static_cast<const NamePart*>(nameAt(step));
    return {reinterpret_cast<const char*>(part + 1), part->size};
}

Step& append(Line& line, Step* owner, const StepSpec& spec) {
    if (owner != nullptr) markArena(*owner);
    Step& step = makeStep(line, owner, spec);
    link(line, owner, step);
    return step;
}

void* appendBare(Line& line, Step* owner, const ClosureOps& ops) {
    if (owner != nullptr) markArena(*owner);
    Step& step = makeBare(line, ops);
    link(line, owner, step);
    return &step + 1;
}

void ParallelPart::mayAdd() const {
    const bool may = maker != nullptr ? maker->latches() && maker->line->top == maker
                                      : !line.flow->running.load(std::memory_order_relaxed);
    if (step.phase != Phase::queued || !may) {
        misuse("a branch can't be added to a parallel that has started, or after its maker's body");
    }
}

void ParallelPart::link(Step& branch) noexcept {
    branch.index = count++;
    (first == nullptr ? first : last->next) = &branch;
    last = &branch;
}

void ParallelPart::addStep(const StepSpec& spec) {
    mayAdd();
    link(makeStep(line, nullptr, spec));
}

void* ParallelPart::addBare(const ClosureOps& ops) {
    mayAdd();
    Step& branch = makeBare(line, ops);
    link(branch);
    return &branch + 1;
}

void destroy(Step& step) noexcept {
    while (Extra* extra = step.extras) {
        step.extras = extra->next;
        if (extra->live) destroyExtra(step, *extra);
    }
    if ((step.flags & kOwns) == 0) return;
    destroyClosure(step, *step.ops, closureOf(step));
    if ((step.flags & kHandler) == 0) return;
    HandlerPart& handler = handlerOf(step);
    destroyClosure(step, *handler.ops, &handler + 1);
}

void dropQueued(Flow& flow, Step*& first) noexcept {
    while (Step* step = first) {
        first = step->next;
        step->line = &flow;
        step->phase = Phase::closed;
        if (step->kind == StepKind::parallel) dropQueued(flow, partOf<ParallelPart>(*step).first);
        if ((step->flags & kOwns) != 0) destroy(*step);
    }
}

namespace {

/// Text that grows at its front; on the heap only if it is long.
class Backwards {
  public:
    void put(char c) {
        if (at_ == begin()) grow(1);
        *--at_ = c;
    }
    void put(std::string_view text) {
        if (static_cast<std::size_t>(at_ - begin()) < text.size()) grow(text.size());
        at_ -= text.size();
        std::memcpy(at_, text.data(), text.size());
    }
    std::string_view text() const noexcept {
        return {at_, static_cast<std::size_t>(begin() + size_ - at_)};
    }

  private:
    char* begin() noexcept { return heap_.empty() ? inline_ : heap_.data(); }
    const char* begin() const noexcept { return heap_.empty() ? inline_ : heap_.data(); }
    void grow(std::size_t more) {
        const std::string_view old = text();
        std::string larger(2 * size_ + more, '\0');
        const std::size_t free = larger.size() - old.size();
        std::memcpy(larger.data() + free, old.data(), old.size());
        heap_.swap(larger);
        size_ = heap_.size();
        at_ = heap_.data() + free;
    }

    char inline_[64];
    std::string heap_;
    std::size_t size_ = sizeof inline_;
    char* at_ = inline_ + sizeof inline_;
};

void putElement(Backwards& path, Step& step) {
    std::uint64_t number = step.index;
    char sign = 0;
    if (step.kind == StepKind::iteration) {
        number = static_cast<std::uint64_t>(partOf<LoopPart>(*step.parent).index);
        sign = '#';
    } else if (step.parent == nullptr && step.line->isBranch()) {
        number = static_cast<Branch*>(step.line)->index;
        sign = '|';
    } else if ((step.flags & kNamed) != 0) {
        return path.put(nameOf(step));
    }
    do {
        path.put(static_cast<char>('0' + number % 10));
        number /= 10;
    } while (number != 0);
    if (sign != 0) path.put(sign);
}

Step* outwards(Step& step) noexcept {
    if (step.parent != nullptr || !step.line->isBranch()) return step.parent;
    return static_cast<Branch*>(step.line)->host;
}

}  // namespace

std::string pathOf(Step& step) {
    Backwards path;
    putElement(path, step);
    for (Step* at = outwards(step); at != nullptr; at = outwards(*at)) {
        path.put('/');
        putElement(path, *at);
    }
    return std::string(path.text());
}

}  // namespace steptree::detail
