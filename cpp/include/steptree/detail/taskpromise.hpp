#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "steptree/detail/coroutine.hpp"
#include "steptree/iasyncsteps.hpp"

namespace steptree {

template <class T = void>
class Task;

namespace detail {

class TaskFrame;
class TaskBase;

/// What the coroutines of one step share: one that awaits another one, and so on. Only the
/// innermost runs. None of them resumes another one: go() does, whatever the compiler makes of tail
/// calls, so that a chain of any length needs no native stack.
struct TaskRun {
    IAsyncSteps* asi = nullptr;
    TaskBase* innermost = nullptr;  // null: the outermost is over
    bool waits = false;             // for the steps that it has added
    ErrorRef error{};               // how they have ended
    Results values{};

    inline bool go();
    /// Throws what the steps have failed with.
    void check() {
        if (!error) return;
        const ErrorRef thrown = std::move(error);
        if (thrown->native != nullptr) std::rethrow_exception(thrown->native);
        throw StepError(thrown);
    }
};

template <class First, class... Rest>
IAsyncSteps& accessorAmong(First& first, Rest&... rest) noexcept {
    if constexpr (std::is_convertible_v<First&, IAsyncSteps&>) {
        return first;
    } else {
        static_assert(sizeof...(Rest) > 0, "a coroutine has a parameter IAsyncSteps&");
        return accessorAmong(rest...);
    }
}

struct StepsAwaiter {
    TaskRun& run;

    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<>) noexcept { run.waits = true; }
    Results await_resume() {
        run.check();
        return std::move(run.values);
    }
};

/// Of a step that awaits one value.
template <class T>
struct ValueAwaiter : StepsAwaiter {
    T await_resume() {
        run.check();
        if constexpr (!std::is_void_v<T>) return std::move(run.values.at<T>(0));
    }
};
template <>
struct ValueAwaiter<Results> : StepsAwaiter {};

/// What an awaitable gives: its Value, what its get() returns, or whatever there is.
template <class X>
auto valueOf() {
    if constexpr (requires { typename X::Value; }) {
        return std::type_identity<typename X::Value>();
    } else if constexpr (requires(X && x) { std::move(x).get(); }) {
        return std::type_identity<std::decay_t<decltype(std::declval<X&&>().get())>>();
    } else {
        return std::type_identity<Results>();
    }
}
template <class X>
using ValueOf = typename decltype(valueOf<X>())::type;

template <class T>
class TaskAwaiter;

/// Of a coroutine's promise: what doesn't depend on its value.
class TaskBase {
  public:
    TaskBase(const TaskBase&) = delete;
    TaskBase& operator=(const TaskBase&) = delete;

    template <class... P>
    static void* operator new(std::size_t size, P&&... parameters) {
        return accessorAmong(parameters...).takeFrame(size);
    }
    /// Inlined, since g++ 12 thinks that no delete fits a new that is a template.
    [[gnu::always_inline]] static void operator delete(void* frame, std::size_t size) noexcept {
        giveFrame(frame, size);
    }

    struct Final {
        bool await_ready() const noexcept { return false; }
        template <class P>
        void await_suspend(std::coroutine_handle<P> ended) noexcept {
            TaskBase& task = ended.promise();
            task.run_->innermost = task.outer_;
        }
        void await_resume() const noexcept {}
    };

    std::suspend_always initial_suspend() const noexcept { return {}; }
    Final final_suspend() const noexcept { return {}; }
    void unhandled_exception() noexcept { error_ = std::current_exception(); }

    StepsAwaiter await_transform(IAsyncSteps& asi) {
        if (&asi == run_->asi) return {*run_};
        throw StepError(errors::InternalError, "co_await: expected the accessor of the step");
    }
    StepsAwaiter await_transform(IParallel&) noexcept { return {*run_}; }
    template <class Self>
    StepsAwaiter await_transform(const Chain<Self>&) noexcept {
        static_assert(
            !kDestroysTwice || !std::is_object_v<Self>,
            "g++ before 13 destroys what is captured by value, or moved, in an expression "
            "with co_await twice. Write it as two: "
            "`asi.sync(mutex, [text](IAsyncSteps& asi) {...}); co_await asi;`");
        return {*run_};
    }

    template <class X>
    requires Awaitable<std::remove_cvref_t<X>>
    auto await_transform(X&& awaitable) {
        run_->asi->await(std::forward<X>(awaitable));
        return ValueAwaiter<ValueOf<std::remove_cvref_t<X>>>{{*run_}};
    }
    template <class U>
    TaskAwaiter<U> await_transform(steptree::Task<U>&& task);

    void resume() { self_.resume(); }
    TaskBase* outer() const noexcept { return outer_; }
    /// Destroys its frame, through whoever owns it.
    inline void destroy() noexcept;

  protected:
    explicit TaskBase(std::coroutine_handle<> self) noexcept : self_(self) {}
    ~TaskBase() = default;

    std::exception_ptr error_;

  private:
    friend TaskFrame;

    std::coroutine_handle<> self_;
    TaskRun* run_ = nullptr;     // null: has not begun
    TaskBase* outer_ = nullptr;  // which awaits it
    TaskFrame* owner_ = nullptr;
};

/// Owns a coroutine's frame.
class TaskFrame {
  public:
    TaskFrame(TaskFrame&& other) noexcept : task_(std::exchange(other.task_, nullptr)) {}
    TaskFrame& operator=(TaskFrame&& other) noexcept {
        TaskFrame old(std::move(*this));
        task_ = std::exchange(other.task_, nullptr);
        return *this;
    }
    ~TaskFrame() { destroy(); }

    /// Throws if it has been moved from.
    void check() const {
        if (task_ == nullptr) {
            throw StepError(errors::InternalError, "expected a task, got one that was moved from");
        }
    }
    /// It is the innermost now, and is not moved any more.
    void begin(TaskRun& run, TaskBase* outer) noexcept {
        task_->run_ = &run;
        task_->outer_ = outer;
        task_->owner_ = this;
        run.innermost = task_;
    }
    void destroy() {
        if (TaskBase* const task = std::exchange(task_, nullptr)) task->self_.destroy();
    }

    TaskBase& task() const noexcept { return *task_; }

  protected:
    explicit TaskFrame(TaskBase& task) noexcept : task_(&task) {}

  private:
    TaskBase* task_;
};

template <class T>
class TaskPromise final : public TaskBase {
  public:
    static_assert(std::is_object_v<T>, "a task has a value, or is steptree::Task<>");

    TaskPromise() noexcept : TaskBase(std::coroutine_handle<TaskPromise>::from_promise(*this)) {}
    steptree::Task<T> get_return_object() noexcept;

    template <class V = T>
    requires std::is_constructible_v<T, V>
    void return_value(V&& value) { value_.emplace(std::forward<V>(value)); }

    T take() {
        if (error_ != nullptr) std::rethrow_exception(std::move(error_));
        return std::move(*value_);
    }
    void giveTo(Results& results) {
        if constexpr (std::is_same_v<T, Results>) {
            results = take();
        } else {
            results.set(take());
        }
    }

  private:
    std::optional<T> value_;
};

template <>
class TaskPromise<void> final : public TaskBase {
  public:
    TaskPromise() noexcept : TaskBase(std::coroutine_handle<TaskPromise>::from_promise(*this)) {}
    inline steptree::Task<void> get_return_object() noexcept;

    void return_void() const noexcept {}
    void take() {
        if (error_ != nullptr) std::rethrow_exception(std::move(error_));
    }
    void giveTo(Results&) { take(); }
};

/// One coroutine waits for another one.
template <class T>
class TaskAwaiter {
  public:
    TaskAwaiter(steptree::Task<T>&& task, TaskRun& run, TaskBase& outer) noexcept
        : task_(std::move(task)), run_(run), outer_(outer) {}

    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<>) noexcept { task_.begin(run_, &outer_); }
    T await_resume() { return static_cast<TaskPromise<T>&>(task_.task()).take(); }

  private:
    steptree::Task<T> task_;
    TaskRun& run_;
    TaskBase& outer_;
};

template <class U>
TaskAwaiter<U> TaskBase::await_transform(steptree::Task<U>&& task) {
    task.check();
    return {std::move(task), *run_, *this};
}

inline void TaskBase::destroy() noexcept {
    owner_->destroy();
}

inline bool TaskRun::go() {
    waits = false;
    do innermost->resume();
    while (!waits && innermost != nullptr);
    return innermost == nullptr;
}

}  // namespace detail
}  // namespace steptree
