#pragma once

#include "steptree/abi.hpp"
#include "steptree/detail/taskroot.hpp"
#include "steptree/iasyncsteps.hpp"

namespace steptree {

/// What a body returns that is a C++20 coroutine. One of its parameters is the accessor of its
/// step; the frame comes from the pool of the flow, see IMemPool. Guide: docs/waiting.md#coroutines
///
///     flow.add([](IAsyncSteps& asi, int id) -> Task<std::string> {
///         asi.setTimeout(500);                        // of all of it, as in any body
///         co_await asi.add(delay(10));                // runs the steps that it has added so far
///         User user = co_await find(id);              // a Future, or anything that await() takes
///         auto cart = co_await fill(asi, user);       // another Task, of the same step
///         co_await asi.sync(mutex, [&](IAsyncSteps& step) -> Task<> { co_await store(cart); });
///         co_return user.name;                        // the step's result
///     })
///
/// What it returns is a returned value like any other; a Task<Results> returns all of several.
///
/// `co_await asi` has the values of the last step as its result (Results), as the next step would
/// get them. What these steps, or the future, fail with is thrown there; StepError for what has a
/// code only. An exception that leaves the coroutine is its step's error. Until the coroutine ends
/// it is a body: the accessor takes every call, and an error, success or loop control that it has
/// latched decides when it suspends itself the next time. Each time that it goes on counts as a
/// body of its line's burst.
///
/// So `asi.error(code)` is final: it fails the step, and a `catch` around it, or around the Task
/// that called it, changes nothing. What a caller may catch and go on is thrown: `throw
/// StepError(code, info)`, in a helper as in the coroutine itself.
///
/// When the step ends otherwise (a timeout, a cancel, a failed sibling, a loop control) the
/// coroutine is destroyed where it stands, on the tool's thread, after what is inside and before
/// the step's cancel handler: destructors run, the innermost first; `catch` blocks don't, as error
/// handlers don't. A destructor that throws there ends the program.
///
/// What the body captures lives until its step is closed, so a lambda may be a coroutine; values
/// are taken by value. A Task that is never awaited or returned does nothing. It is not copied, and
/// is to be gone before its step is. Error handlers can't be coroutines: they add a step.
///
/// Beware of g++ before 13: it destroys twice what an expression with `co_await` makes of a lambda
/// that captures by value, or of braces for an aggregate, and mistakes `?:` around a `co_await`.
/// Two expressions are the same, and right: `asi.sync(mutex, [text](IAsyncSteps& asi) {...});
/// co_await asi;`. There `co_await` of an adder doesn't compile if it's given such a lambda. What
/// can't be refused is to be known: the handler of a parallel and what stands before it, bodies
/// and functions that step values are made of (let the value stand before), and what futures, pools
/// and other tasks are given, as in `co_await asi.add(steps([text](IAsyncSteps&) {...}))`,
/// `co_await future.map([text](int) {...})` and `co_await pool.run([text] {...})`. And a lambda
/// that is a coroutine doesn't assemble in a function that is `extern "C"`: let that call another
/// one.
template <class T>
class [[nodiscard]] Task : public detail::TaskFrame {
  public:
    using promise_type = detail::TaskPromise<T>;
    using Root = detail::TaskRoot<T>;

  private:
    friend promise_type;
    explicit Task(promise_type& promise) noexcept : TaskFrame(promise) {}
};

template <class T>
Task<T> detail::TaskPromise<T>::get_return_object() noexcept {
    return steptree::Task<T>(*this);
}
inline Task<void> detail::TaskPromise<void>::get_return_object() noexcept {
    return steptree::Task<void>(*this);
}

}  // namespace steptree
