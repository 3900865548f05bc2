#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "steptree/detail/foreach.hpp"
#include "steptree/detail/pipe.hpp"

/// Channels as what loops and maps go through.
namespace steptree::detail {

/// Refers to a channel.
template <class T, class Lock>
class TakenFrom {
  public:
    explicit TakenFrom(BasicPipe<Lock>& pipe) noexcept : pipe_(&pipe) {}

    BasicPipe<Lock>& operator*() const noexcept { return *pipe_; }

  private:
    BasicPipe<Lock>* pipe_;
};

/// What one run takes of it: never more than the value that is used next.
template <class Lock>
class Takes {
  public:
    explicit Takes(BasicPipe<Lock>& pipe) noexcept : pipe_(&pipe) {}

    /// Whether there is a value now. The one before is destroyed.
    bool next() {
        if (came_) return true;
        value_.clear();
        const PipeEntry entry = pipe_->takeOne(value_);
        waits_ = entry == PipeEntry::wait;
        return came_ = entry == PipeEntry::done;
    }
    /// After that: whether there may be one later.
    bool waits() const noexcept { return waits_; }
    void wait(IAsyncSteps& asi) { pipe_->awaitValue(asi); }
    /// What a step that has waited has got.
    void keep(Results& value) noexcept {
        value_ = std::move(value);
        came_ = true;
    }
    template <class T>
    T& use() {
        came_ = false;
        return value_.template at<T>(0);
    }
    void clear() { value_.clear(); }

    /// Of a `Run` that has this.
    template <class Run>
    static constexpr TakeOps ops{
        [](void* closure) { return Place<Run>::get(closure).takes().waits(); },
        [](void* closure, IAsyncSteps& asi) { Place<Run>::get(closure).takes().wait(asi); },
        [](void* closure, Results& value) { Place<Run>::get(closure).takes().keep(value); }};

  private:
    BasicPipe<Lock>* pipe_;
    Results value_;
    bool came_ = false;
    bool waits_ = false;
};

/// A body that asks for a reference gets one, which is good till its iteration has closed.
template <class Run, class T, class Lock, class F>
class Elements<Run, TakenFrom<T, Lock>, F> {
  public:
    explicit Elements(const TakenFrom<T, Lock>& from) noexcept : takes_(*from) {}
    Elements(Elements&&) noexcept = default;
    Elements(const Elements&) = delete;

    static constexpr ForEachOps makeOps(ClosureOps (*opsOf)(bool, ClosureCall)) {
        constexpr const TakeOps* take = &Takes<Lock>::template ops<Run>;
        if constexpr (IsStepValue<F>) {
            return {opsOf(false, nullptr), &nextOf, &part, take};
        } else {
            return {withSource<F>(opsOf(false, &call)), &nextOf, nullptr, take};
        }
    }

    Takes<Lock>& takes() noexcept { return takes_; }

  private:
    static bool nextOf(void* closure) { return Place<Run>::get(closure).takes().next(); }

    static void call(IAsyncSteps& asi, void* closure, CallArgs& args) noexcept {
        Run& run = Place<Run>::get(closure);
        guarded(asi, [&] {
            T& value = run.takes().template use<T>();
            const auto index = static_cast<std::size_t>(args.index);
            callAndWatch<Returned::dropped>(asi, [&]() -> decltype(auto) {
                using Body = decltype(run.body());
// A body may take an `int`, or what else it likes, for the index.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
                if constexpr (std::is_invocable_v<Body, IAsyncSteps&, std::size_t, T&>) {
                    return run.body()(asi, index, value);
                } else {
                    static_assert(std::is_invocable_v<Body, IAsyncSteps&, std::size_t, T>,
                                  "forEach(): the body is called as const, with the accessor, an "
                                  "index and a value");
                    return run.body()(asi, index, std::move(value));
                }
#pragma GCC diagnostic pop
            });
        });
    }

    static const Definition& part(void* closure, std::int64_t index, Results& into) {
        Run& run = Place<Run>::get(closure);
        into.set(static_cast<std::size_t>(index), std::move(run.takes().template use<T>()));
        return run.body().definition();
    }

    Takes<Lock> takes_;
};

}  // namespace steptree::detail
