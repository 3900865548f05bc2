#pragma once

#include <cstdint>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

#include "steptree/detail/refcount.hpp"
#include "steptree/detail/stepspec.hpp"
#include "steptree/error.hpp"

namespace steptree::detail {

/// A step that is described once. It never changes: what a run needs is made with its step. The
/// step that enters a flow counts, and so keeps all that the steps inside refer to.
struct Definition {
    Definition() noexcept { spec.source = &self; }
    Definition(const Definition&) = delete;
    Definition& operator=(const Definition&) = delete;

    StepSpec spec;  // its closures refer to descriptions
    const ClosureOps* counted = nullptr;
    const ClosureOps* countedHandler = nullptr;
    void (*destroy)(const Definition& gone) noexcept = nullptr;  // null: it's a part of another one
    bool bare = false;      // a body is all that it is: the closure is one word, which refers to it
    bool sequence = false;  // the same of parts: it is a SequenceDefinition
    mutable RefCount refs;
    mutable const Definition* self = this;  // for closures; of one that is gone: the next such

    /// Makes the step that enters a flow.
    StepSpec entering() const noexcept {
        StepSpec made = spec;
        made.ops = counted;
        made.handler = countedHandler;
        return made;
    }
};

/// One part after the other.
struct SequenceDefinition : Definition {
    const Definition* const* parts = nullptr;
    std::uint32_t count = 0;
    bool hidden = false;   // the parts have no elements in paths
    bool limited = false;  // by so many milliseconds
    std::int64_t limit = 0;
    std::string_view code{};  // raised in the place of Timeout
    void (*bind)(const SequenceDefinition& bound, Results& values) = nullptr;  // null: none are
};

/// All its parts at once.
struct BranchesDefinition : Definition {
    const Definition* const* parts = nullptr;
    std::uint32_t count = 0;
};

struct RetryDefinition : Definition {
    const RetryOptions* options = nullptr;
    const Definition* body = nullptr;
    bool numbered = true;  // the body gets the number of the attempt
};

struct HedgeDefinition : Definition {
    const HedgeOptions* options = nullptr;
    const Definition* body = nullptr;
    std::int64_t after = 0;
    bool numbered = true;  // as of a retry
};

/// Of an `all`.
struct AllOps : ClosureOps {
    void (*give)(void* closure, std::size_t index, Results& values);  // what a branch has left
    void (*finish)(void* closure, Results& into);
};

/// Those that are to be destroyed on this thread. Values may stand in values any number deep, so
/// none destroys another one.
struct GoneDefinitions {
    const Definition* first = nullptr;
    bool busy = false;
};
inline thread_local constinit GoneDefinitions goneDefinitions;

[[gnu::noinline]] inline void destroyDefinition(const Definition& definition) noexcept {
    GoneDefinitions& gone = goneDefinitions;
    definition.self = std::exchange(gone.first, &definition);
    if (gone.busy) return;
    gone.busy = true;
    while (const Definition* const next = gone.first) {
        gone.first = next->self;
        next->destroy(*next);
    }
    gone.busy = false;
}

inline void retain(const Definition& definition) noexcept {
    definition.refs.add();
}
inline void release(const Definition& definition) noexcept {
    if (definition.refs.drop()) destroyDefinition(definition);
}

/// A counted reference.
class StepValue {
  public:
    StepValue(const StepValue& other) noexcept : definition_(other.definition_) {
        if (definition_ != nullptr) retain(*definition_);
    }
    StepValue(StepValue&& other) noexcept
        : definition_(std::exchange(other.definition_, nullptr)) {}
    StepValue& operator=(StepValue other) noexcept {
        std::swap(definition_, other.definition_);
        return *this;
    }
    ~StepValue() {
        if (definition_ != nullptr) release(*definition_);
    }

    /// For the runtime: one that has been made just now.
    explicit StepValue(const Definition* made) noexcept : definition_(made) {}
    const Definition& definition() const {
        if (definition_ == nullptr) {
            throw StepError(errors::InternalError, "a step value that was moved from");
        }
        return *definition_;
    }

  private:
    const Definition* definition_;
};

template <class X>
concept IsStepValue = std::is_base_of_v<StepValue, std::decay_t<X>>;

/// Throws if it is one that was moved from.
template <class F>
void checkValue(const F& body) {
    if constexpr (IsStepValue<F>) static_cast<void>(body.definition());
}

/// The step is made of that body: its name is that of a value, which lives as long as the spec.
template <class F>
void nameBy(StepSpec& spec, const F& body) {
    if constexpr (IsStepValue<F>) setName(spec, nameOf(body.definition().spec));
}

// ---- closures that refer to a description: one word

inline const Definition& definitionAt(void* closure) noexcept {
    return **static_cast<const Definition**>(closure);
}

inline void keepWord(void* to, void* from) {
    const Definition& definition = definitionAt(from);
    retain(definition);
    ::new (to) const Definition*(&definition);
}
inline void dropWord(void* closure) {
    release(definitionAt(closure));
}

constexpr ClosureOps referring(bool wantsValues, ClosureCall call) noexcept {
    return {sizeof(void*), sizeof(void*), wantsValues, nullptr, nullptr, call};
}
constexpr ClosureOps counting(bool wantsValues, ClosureCall call) noexcept {
    return {sizeof(void*), sizeof(void*), wantsValues, &keepWord, &dropWord, call};
}

/// Of a step whose kind finds its description behind its part.
inline constexpr ClosureOps kReferringWord = referring(true, nullptr);

/// Of a step whose kind has all that it needs of the description.
template <bool wantsValues>
inline constexpr ClosureOps kReferring{0, 0, wantsValues, nullptr, nullptr, nullptr};
template <bool wantsValues>
inline constexpr ClosureOps kCounting = counting(wantsValues, nullptr);

/// A step value in the place of a body: the word is its description, and nothing is called.
inline constexpr ClosureOps kInside = referring(true, nullptr);
inline constexpr ClosureOps kInsideCounted = counting(true, nullptr);

// ---- see detail/wrapping.hpp
template <class H>
StepValue heardBy(const StepValue& value, H&& handler);
template <class Name>
StepValue namedAs(const StepValue& value, const Name& name);

}  // namespace steptree::detail
