#include "path.hpp"

#include <charconv>
#include <cstring>
#include <vector>

#include "extras.hpp"

/// The way to a step as crumbs, which cost little to leave and become text when somebody asks. With
/// a name on it, or a longer one, it is text; of a deep one only the end, which goes on from what
/// all errors below some step share.
namespace steptree::detail {

namespace {

constexpr std::uint32_t kLargest = (1U << Crumbs::kKindShift) - 1;
constexpr std::size_t kFlat = 32;  // so many elements need no root
constexpr std::size_t kSpan = 16;  // from root to root

}  // namespace

/// The way to a step. Never changes; any thread.
struct PathRoot {
    mutable std::atomic<std::uint32_t> refs{1};
    const PathRoot* outer;  // one reference; null: it begins at the flow's root
    std::string text;       // from there on
};

namespace {

/// Of a step. On the heap: what lies in the arena is above the step that is deepest now.
struct PathExtra : Extra {
    const PathRoot* root;
};

const PathRoot* rootOf(Step& step) noexcept {
    auto* const extra = static_cast<PathExtra*>(findExtra(step, Extra::path));
    return extra != nullptr ? extra->root : nullptr;
}

const PathRoot* retained(const PathRoot* root) noexcept {
    if (root != nullptr) root->refs.fetch_add(1, std::memory_order_relaxed);
    return root;
}

/// The element of a step that has no name.
struct Numbered {
    PathElement element;
    std::uint64_t number;
};

Numbered numberedOf(Step& step) noexcept {
    const PathElement element = kindOf(step).element;
    if (element == PathElement::round) [[unlikely]]
        return {element, static_cast<std::uint64_t>(step.turn)};
    if (step.parent == nullptr && step.line->isBranch()) [[unlikely]]
        return {PathElement::branch, static_cast<Branch&>(*step.line).index};
    return {(step.flags & kRound) != 0 ? PathElement::round : element, step.index};
}

/// In the place of its number: rounds have none, since a name that repeats says less.
bool showsName(PathElement element, Step& step) noexcept {
    if ((step.flags & kNamed) == 0) return false;
    return element == PathElement::step || element == PathElement::branch;
}

}  // namespace

std::uint8_t leaveCrumbs(Step& from, Crumbs& crumbs) noexcept {
    std::size_t count = 0;
    for (Step* step = &shown(from); step != nullptr; step = outwards(*step)) {
        if (count == Crumbs::kMost) return 0;
        const auto [element, number] = numberedOf(*step);
        if (showsName(element, *step) || number > kLargest) return 0;
        crumbs.at[count++] = static_cast<std::uint32_t>(element) << Crumbs::kKindShift |
                             static_cast<std::uint32_t>(number);
    }
    return static_cast<std::uint8_t>(count);
}

char signOf(PathElement element) noexcept {
    constexpr char signs[] = {0, '#', '|', '~'};
    return signs[static_cast<std::size_t>(element)];
}

ElementParts elementAt(Step& step) noexcept {
    const auto [kind, number] = numberedOf(step);
    return {kind, number, showsName(kind, step) ? nameOf(step) : std::string_view()};
}

std::string textOf(const Crumbs& crumbs, std::size_t count) {
    char text[Crumbs::kMost * 12];
    char* end = text;
    for (std::size_t i = count; i-- > 0;) {
        const std::uint32_t kind = crumbs.at[i] >> Crumbs::kKindShift;
        if (const char sign = signOf(static_cast<PathElement>(kind))) *end++ = sign;
        end = std::to_chars(end, text + sizeof text, crumbs.at[i] & kLargest).ptr;
        if (i > 0) *end++ = '/';
    }
    return {text, end};
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

void putElement(Backwards& path, Step& step, Numbered numbered) {
    auto [element, number] = numbered;
    if (showsName(element, step)) {
        path.put(nameOf(step));
    } else {
        do {
            path.put(static_cast<char>('0' + number % 10));
            number /= 10;
        } while (number != 0);
    }
    if (const char sign = signOf(element)) path.put(sign);
}

inline void putElement(Backwards& path, Step& step) {
    putElement(path, step, numberedOf(step));
}

/// The elements from `from` outwards, up to `end`.
std::string elements(Step& from, const Step* end) {
    Backwards text;
    for (Step* step = &from; step != end; step = outwards(*step)) {
        if (step != &from) text.put('/');
        putElement(text, *step);
    }
    return std::string(text.text());
}

}  // namespace

std::string elementOf(Step& step) {
    Backwards text;
    putElement(text, step);
    return std::string(text.text());
}

std::string branchElementOf(Step& step) {
    Backwards text;
    putElement(text, step, {PathElement::branch, step.index});
    return std::string(text.text());
}

std::string pathOf(Step& step) {
    return elements(shown(step), nullptr);
}

namespace {

/// What pop() destroys.
bool mayHaveRoot(const Step& step) noexcept {
    return (step.flags & kMarked) != 0;
}

/// Gives roots to steps that are open around `from`, so that none is far from one.
void growRoots(Step& from) {
    std::vector<Step*> way;
    Step* step = &from;
    for (; step != nullptr && rootOf(*step) == nullptr; step = outwards(*step)) {
        if (mayHaveRoot(*step)) way.push_back(step);
    }
    for (std::size_t i = way.size(); i-- > 0;) {
        if (i % kSpan != 0) continue;
        auto extra = std::make_unique<PathExtra>();
        extra->type = Extra::path;
        const PathRoot* const outer = step != nullptr ? rootOf(*step) : nullptr;
        auto* const root = new PathRoot{.outer = outer, .text = elements(*way[i], step)};
        retained(outer);
        extra->root = root;
        link(*way[i], *extra.release());
        step = way[i];
    }
}

}  // namespace

const PathRoot* leaveText(Step& from, std::string& text) {
    Backwards way;
    std::size_t count = 0;
    Step* step = &shown(from);
    while (step != nullptr && rootOf(*step) == nullptr) {
        if (++count == kFlat) {
            growRoots(*step);
            if (rootOf(*step) != nullptr) break;
        }
        if (count > 1) way.put('/');
        putElement(way, *step);
        step = outwards(*step);
    }
    text = way.text();
    return step != nullptr ? retained(rootOf(*step)) : nullptr;
}

std::string textOf(const PathRoot& root, const std::string& rest) {
    Backwards text;
    text.put(rest);
    for (const PathRoot* at = &root; at != nullptr; at = at->outer) {
        if (!text.text().empty()) text.put('/');
        text.put(at->text);
    }
    return std::string(text.text());
}

void release(const PathRoot* root) noexcept {
    while (root != nullptr && root->refs.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        const PathRoot* const outer = root->outer;
        delete root;
        root = outer;
    }
}

void destroyPath(Extra& extra) noexcept {
    auto* const path = static_cast<PathExtra*>(&extra);
    release(path->root);
    delete path;
}

}  // namespace steptree::detail
