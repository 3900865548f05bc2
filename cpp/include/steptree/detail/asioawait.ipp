/// A completion token of Asio's: what it is given to returns an awaitable, which begins its work
/// when its step does.
///
///     asi.await(socket.async_read_some(buffer, asioAwaited)).add([](IAsyncSteps& asi,
///                                                                  std::size_t size) {...});
///     std::size_t size = co_await socket.async_read_some(buffer, asioAwaited);  // in a Task
///
/// An error code becomes a system_error of the library's, whose code in handlers is a portable one
/// (`ECONNREFUSED`, `EOF`, `ENOTFOUND`, …) [error-58]. A step that is closed before cancels the
/// operation by its cancellation slot (Boost: 1.77 or newer). If the step's tool is an AsioTool, all
/// of it happens on that tool's executor, the operation's own handlers too, whichever the executor
/// of the socket; with any other tool the cancellation comes on the tool's thread. What the
/// operation refers to has to live until it has ended, which may be a little later.
struct AsioAwaited {};
inline constexpr AsioAwaited asioAwaited{};

/// Ends the step.
class AsioHandler {
  public:
    AsioHandler(Awaiter awaiter, std::shared_ptr<asio::cancellation_signal> signal) noexcept
        : awaiter_(std::move(awaiter)), signal_(std::move(signal)) {
        if (currentExecutor != nullptr) executor_ = *currentExecutor;
    }

    /// That of the AsioTool; empty: the step's tool isn't one.
    const asio::any_io_executor& executor() const noexcept { return executor_; }

    using cancellation_slot_type = asio::cancellation_slot;
    cancellation_slot_type get_cancellation_slot() const noexcept { return signal_->slot(); }

    template <class... V>
    void operator()(const asio::error_code& error, V&&... values) const {
        if (error) {
            awaiter_.fail(asioException(asio::system_error(error)));
        } else {
            awaiter_.success(std::forward<V>(values)...);
        }
    }
    template <class... V>
    void operator()(std::exception_ptr error, V&&... values) const {
        if (error != nullptr) {
            awaiter_.fail(std::move(error));
        } else {
            awaiter_.success(std::forward<V>(values)...);
        }
    }
    template <class... V>
    void operator()(V&&... values) const {
        awaiter_.success(std::forward<V>(values)...);
    }

  private:
    Awaiter awaiter_;
    std::shared_ptr<asio::cancellation_signal> signal_;
    asio::any_io_executor executor_;
};

/// What a Task gets of it: the value, if there is one.
template <class... V>
struct AsioValues {
    using type = Results;
};
template <>
struct AsioValues<> {
    using type = void;
};
template <class V>
struct AsioValues<V> {
    using type = V;
};

template <class... V>
struct AsioValue : AsioValues<> {};
template <class First, class... V>
struct AsioValue<First, V...> : std::conditional_t<std::is_same_v<First, asio::error_code> ||
                                                       std::is_same_v<First, std::exception_ptr>,
                                                   AsioValues<V...>, AsioValues<First, V...>> {};

template <class V, class Initiation, class... Args>
class AsioOperation {
  public:
    using Value = V;

    template <class I, class... A>
    explicit AsioOperation(I&& initiation, A&&... args)
        : initiation_(std::forward<I>(initiation)), args_(std::forward<A>(args)...) {}

    void subscribe(Awaiter awaiter) {
        signal_ = std::make_shared<asio::cancellation_signal>();
        std::apply(
            [&](Args&... args) {
                std::move(initiation_)(AsioHandler(std::move(awaiter), signal_),
                                       std::move(args)...);
            },
            args_);
    }
    void cancel() { signal_->emit(asio::cancellation_type::terminal); }

  private:
    Initiation initiation_;
    std::tuple<Args...> args_;
    std::shared_ptr<asio::cancellation_signal> signal_;  // the operation's as well
};

/// What async_result of the library is for an operation that is awaited.
template <class... V>
class AsioInitiation {
  public:
    template <class Initiation, class... Args>
    static auto initiate(Initiation&& initiation, AsioAwaited, Args&&... args) {
        using Value = typename AsioValue<std::decay_t<V>...>::type;
        return AsioOperation<Value, std::decay_t<Initiation>, std::decay_t<Args>...>(
            std::forward<Initiation>(initiation), std::forward<Args>(args)...);
    }
};

/// Where the library calls the handler.
template <class Default>
struct AsioHandlerExecutor {
    using type = asio::any_io_executor;
    static type get(const AsioHandler& handler, const Default& otherwise = Default()) noexcept {
        return handler.executor() ? handler.executor() : type(otherwise);
    }
};
