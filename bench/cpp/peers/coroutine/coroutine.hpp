#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <new>
#include <utility>

/// A coroutine and no more than that: no tree, no cancellation, no loop. The bare limit.
namespace bench {

/// COROUTINE_POOL: frames come from free lists by size, and go back there.
struct Frames {
#ifdef COROUTINE_POOL
    static void* operator new(std::size_t size) {
        Free*& list = lists[kind(size)];
        if (list == nullptr) return ::operator new(kind(size) * kUnit);
        return std::exchange(list, list->next);
    }
    static void operator delete(void* frame, std::size_t size) noexcept {
        Free*& list = lists[kind(size)];
        list = ::new (frame) Free{list};
    }

  private:
    struct Free {
        Free* next;
    };
    static constexpr std::size_t kUnit = 32;
    static std::size_t kind(std::size_t size) noexcept {
        return (size + kUnit - 1) / kUnit;
    }
    static inline Free* lists[64] = {};
#endif
};

/// What a coroutine hands to the one that awaits it: nothing, a code, or what it has thrown. An
/// exception where none is expected ends the program.
struct Nothing {
    void return_void() const noexcept {}
    void unhandled_exception() const noexcept { std::terminate(); }
    void result() const noexcept {}
};
struct Code {
    void return_value(int value) noexcept { code = value; }
    void unhandled_exception() const noexcept { std::terminate(); }
    int result() const noexcept { return code; }
    int code = 0;
};
struct Thrown {
    void return_void() const noexcept {}
    void unhandled_exception() noexcept { error = std::current_exception(); }
    void result() const {
        if (error) std::rethrow_exception(error);
    }
    std::exception_ptr error;
};

/// A coroutine that starts when it is awaited or resumed.
template <class Result = Nothing>
class Task {
  public:
    struct promise_type;
    using Handle = std::coroutine_handle<promise_type>;

    struct Final {
        bool await_ready() const noexcept { return false; }
        std::coroutine_handle<> await_suspend(Handle ended) const noexcept {
            return ended.promise().awaiting;
        }
        void await_resume() const noexcept {}
    };

    struct promise_type : Frames, Result {
        std::coroutine_handle<> awaiting = std::noop_coroutine();

        Task get_return_object() noexcept { return Task(Handle::from_promise(*this)); }
        std::suspend_always initial_suspend() const noexcept { return {}; }
        Final final_suspend() const noexcept { return {}; }
    };

    explicit Task(Handle handle) noexcept : handle_(handle) {}
    Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Task& operator=(Task&&) = delete;
    ~Task() {
        if (handle_) handle_.destroy();
    }

    void resume() const { handle_.resume(); }

    bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) const noexcept {
        handle_.promise().awaiting = awaiting;
        return handle_;
    }
    auto await_resume() const { return handle_.promise().result(); }

  private:
    Handle handle_;
};

/// A coroutine that nobody awaits: it is gone when it has ended. Not started inside of its own
/// call, into which the compiler would draw all of it, and drop its frame.
class Detached {
  public:
    struct promise_type : Frames, Nothing {
        Detached get_return_object() noexcept {
            return Detached(std::coroutine_handle<promise_type>::from_promise(*this));
        }
        std::suspend_always initial_suspend() const noexcept { return {}; }
        std::suspend_never final_suspend() const noexcept { return {}; }
    };

    explicit Detached(std::coroutine_handle<> handle) noexcept : handle_(handle) {}
    void start() const { handle_.resume(); }

  private:
    std::coroutine_handle<> handle_;
};

/// What a coroutine waits for. Resumes it inside the call.
class Event {
  public:
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waits) noexcept { waits_ = waits; }
    void await_resume() const noexcept {}
    void notify() const { waits_.resume(); }

  private:
    std::coroutine_handle<> waits_;
};

}  // namespace bench
