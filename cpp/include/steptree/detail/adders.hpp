#pragma once

#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "steptree/detail/branchadders.hpp"

namespace steptree::detail {

/// All adders of an accessor and of a root.
template <class Self>
class Adders : public BranchAdders<Self> {
  public:
    /// A step that gives these values to the next one. [results-9]
    template <class... T>
    requires(sizeof...(T) <= kMaxValues) Added<Self, Given<T>...> successStep(T&&... values) {
        this->add([kept = std::tuple<Kept<T>...>(std::forward<T>(values)...)](auto& asi) mutable {
            std::apply([&](auto&... value) { asi.success(std::move(value)...); }, kept);
        });
        return Added<Self, Given<T>...>(static_cast<Self&>(*this));
    }
    template <class... T>
    requires(sizeof...(T) > kMaxValues) STEPTREE_TOO_MANY_VALUES Self& successStep(T&&...) {
        return this->add(
            [](auto& asi) { asi.errorNoThrow(errors::InternalError, kTooManyValues); });
    }

    /// A step whose branches run side by side; add them to what it returns, until it starts.
    /// [parallel-1]
    template <class H = std::nullptr_t>
    IParallel& parallel(H&& onerror = nullptr, std::string_view name = {}) {
        return addBranches<H>(StepKind::parallel, onerror, name);
    }

    /// The same, till the first branch has ended: with ok, its values are the step's, with an
    /// error, that is the step's. The others are cancelled and closed before. Without a branch:
    /// InternalError. [flow-1] [flow-3] [flow-6]
    template <class H = std::nullptr_t>
    IParallel& race(H&& onerror = nullptr, std::string_view name = {}) {
        return addBranches<H>(StepKind::race, onerror, name);
    }

    /// The same, till the first branch has ended with ok: its values are the step's, and the others
    /// are cancelled and closed before. If all fail: AllFailed, with their errors in also(), in add
    /// order. Without a branch: InternalError. [flow-2] [flow-3] [flow-10]
    template <class H = std::nullptr_t>
    IParallel& any(H&& onerror = nullptr, std::string_view name = {}) {
        return addBranches<H>(StepKind::any, onerror, name);
    }

    /// A step that sends its line to the tail of the run queue. [model-56]
    Self& relinquish() {
        return this->template added<>(StepSpec{nullptr, nullptr, StepKind::relinquish});
    }

    /// For the runtime.
    struct ForChain {
        static IParallel& addParallel(Adders& self, const StepSpec& spec) {
            return self.addParallel(spec);
        }
    };

  protected:
    ~Adders() = default;

    virtual IParallel& addParallel(const StepSpec& spec) = 0;

  private:
    template <class H>
    IParallel& addBranches(StepKind kind, std::remove_reference_t<H>& onerror,
                           std::string_view name) {
        StepSpec spec{nullptr, nullptr, kind};
        setHandler<H>(spec, onerror);
        spec.text = name;
        return addParallel(spec);
    }
};

/// See Added. For all but co_await it is the object that it stands for.
template <class Self>
class Chain final : public std::conditional_t<std::is_same_v<Self, IParallel>,
                                              BranchAdders<Chain<Self>>, Adders<Chain<Self>>> {
  public:
    explicit Chain(Self& self) noexcept : self_(self) {}
    Chain(const Chain&) = delete;
    Chain& operator=(const Chain&) = delete;

    operator Self&() const noexcept { return self_; }

    void addStep(const StepSpec& spec) override { self_.addStep(spec); }
    void* addBare(const ClosureOps& ops) override { return self_.addBare(ops); }

  private:
    IParallel& addParallel(const StepSpec& spec) /* override, but for branches */ {
        return Adders<Self>::ForChain::addParallel(self_, spec);
    }

    Self& self_;
};

}  // namespace steptree::detail
