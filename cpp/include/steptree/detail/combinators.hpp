#pragma once

namespace steptree {

template <class T, class E>
class Future;

namespace detail {

struct FutureAccess;

/// What makes new futures of a `Future<T, E>`; defined by `steptree/future.hpp`, which only those
/// who use it include.
///
/// Each gives a future of its own, which completes when its function has returned, or at once when
/// the future that it was made of has failed, with the same failure. An exception out of a function
/// becomes the failure; so does a WithFailure that it returns. Functions are called at most once,
/// with `const T&`, or with a T if they can't take that: a copy, or the value itself if it can't be
/// copied, which is for one taker only then. Cancelling what one of them gave means that its
/// function isn't called any more; what it was made of goes on. Futures of void give their
/// functions no argument. Functions are kept until they are called; in an expression with co_await
/// g++ before 13 breaks captures by value, see Task. Guide: docs/waiting.md#promises-and-futures
///
///     Future<int> twice = future.map([](int n) { return 2 * n; });
template <class T, class E>
class Combinators {
  public:
    /// Futures that have completed already. `successful()` for void.
    template <class... V>
    static Future<T, E> successful(V&&... value);
    /// The same, failed.
    static Future<T, E> failed(E failure);

    /// `f(value)` is the value; void if it returns nothing.
    template <class F>
    auto map(F&& f) const;

    /// `f(value)` returns a Future<U, E>, whose outcome it is.
    template <class F>
    auto flatMap(F&& f) const;

    /// flatMap() where the value doesn't matter: `f()`.
    template <class F>
    auto andThen(F&& f) const;

    /// Replaces the value.
    template <class V>
    auto andThenValue(V&& value) const;

    /// Fails with `rejected` unless `f(value)` is true.
    template <class F>
    Future<T, E> filter(F&& f, E rejected) const;

    /// Fails with `f(failure)`, of whatever type.
    template <class F>
    auto mapFailure(F&& f) const;

    /// After a failure `f(failure)` is the value.
    template <class F>
    Future<T, E> recover(F&& f) const;

    /// After a failure `f(failure)` returns a Future<T, E>, whose outcome it is.
    template <class F>
    Future<T, E> recoverWith(F&& f) const;

    /// After a failure the value is this one; none for void.
    template <class... V>
    Future<T, E> recoverValue(V&&... value) const;

    /// A tuple of all values, when all have one; the first failure, at once. Items of tuples become
    /// items of this one, void becomes none.
    template <class... U>
    auto zip(const Future<U, E>&... others) const;

    /// The same with values that are there.
    template <class... V>
    auto zipValue(V&&... values) const;

    /// A container of futures becomes a future of a container of their values, in their order: when
    /// all have one; the first failure, at once.
    template <class C>
    static auto sequence(const C& futures);

    /// Of a container: its items, mapped; the container is of the same kind, of a map's items a
    /// vector.
    template <class F>
    auto innerMap(F&& f) const;

    /// Of a container: the items for which `f(item)` is true.
    template <class F>
    Future<T, E> innerFilter(F&& f) const;

    /// Of a container: `acc = f(acc, item)` for each item, from `initial` on.
    template <class F, class A>
    auto innerReduce(F&& f, A initial) const;

    /// Of a container of containers: one container of all their items.
    auto innerFlatten() const;

    /// Calls `f(value)`, or `f(failure)`, and gives this future. An exception out of f ends the
    /// process, as with onSettled().
    template <class F>
    Future<T, E> onSuccess(F&& f) const;
    /// The same for a failure.
    template <class F>
    Future<T, E> onFailure(F&& f) const;

    /// A std::future<T>. Nobody waits for it: it's made ready by whoever settles this one.
    auto toStd() const;

    /// Of a std::future<T>. `executor(callable)` has to run the callable, once, on a thread that
    /// may block; it waits there for the value. If the executor throws, so does this; if it drops
    /// the callable, the future fails with `Canceled`.
    template <class Std, class Executor>
    static Future<T, E> fromStd(Std future, Executor&& executor);

  private:
    const Future<T, E>& self() const noexcept { return static_cast<const Future<T, E>&>(*this); }
};

}  // namespace detail
}  // namespace steptree
