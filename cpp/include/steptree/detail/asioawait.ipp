/// A completion token of Asio's: what it is given to returns an awaitable, which begins its work
/// when its step does. Guide: docs/server.md#a-server-in-c-with-asio
///
///     asi.await(socket.async_read_some(buffer, asioAwaited));
///     std::size_t size = co_await socket.async_read_some(buffer, asioAwaited);  // in a Task
///
/// An error code becomes a system_error of the library's, whose code in handlers is a portable one
/// (`ECONNREFUSED`, `EOF`, `ENOTFOUND`, …). If the step's tool is an AsioTool, all of it happens on
/// that tool's executor, the operation's own handlers too, whichever the executor of the socket;
/// with any other tool the cancellation comes on the tool's thread.
///
/// A step that is closed before asks the operation to end, by its cancellation slot, and waits for
/// its handler before anything in or around the step is let go: buffers may live in the step's
/// captures, in its `stack()`, in a coroutine, or in those of steps around it. What has not ended
/// after the flow's `grace`, or when the flow or its tool is destroyed, keeps the memory of these
/// steps till it has. In flows of fixed memory or of an IMemPool: InternalError. Boost before 1.77
/// has no slots: there such a step goes on until its operation has ended by itself, or the grace is
/// over; `asioDetached`, with a `setCancel` that closes the socket, waits for neither.
struct AsioAwaited {};
/// The token: `socket.async_read_some(buffer, asioAwaited)`.
/// Guide: docs/server.md#a-server-in-c-with-asio
inline constexpr AsioAwaited asioAwaited{};

/// The same for operations that own all they use: a step that is closed before asks the operation
/// to end, and waits for nothing.
struct AsioDetached {};
/// The token: `timer.async_wait(asioDetached)`. Guide: docs/server.md#a-server-in-c-with-asio
inline constexpr AsioDetached asioDetached{};

/// An operation that goes on: its handler owns it, and so does what lies in its room.
struct AsioRun : std::enable_shared_from_this<AsioRun> {
    explicit AsioRun(Awaiter whose) : awaiter(std::move(whose)) {
        if (currentExecutor != nullptr) executor = *currentExecutor;
    }
    AsioRun(const AsioRun&) = delete;
    AsioRun& operator=(const AsioRun&) = delete;
    ~AsioRun() {
        if (told) return;
        // Nothing of it stays here, as the step's thread may free it at once.
        auto dropped = std::make_exception_ptr(StepError(errors::Canceled, "dropped"));
        awaiter.fail(std::move(dropped));
    }

    const Awaiter awaiter;
    asio::any_io_executor executor;  // that of the AsioTool; empty: the step's tool isn't one
    asio::cancellation_signal signal;
    Outlived kept;  // what it uses, if its step is closed
    bool told = false;
    std::atomic_flag roomTaken;        // parts of an operation may end on several threads
    std::shared_ptr<AsioRun> tenancy;  // while it is: the handler may lie in the room, too
    /// For what the library remembers of the operation: nearly all take less.
    static constexpr std::size_t kRoom = 224;
    alignas(std::max_align_t) std::byte room[kRoom];
};

/// What the library allocates for an operation lies in its run. The library gives it back before
/// it calls the handler; what is dropped may destroy the handler first.
template <class T>
class AsioRoom {
  public:
    using value_type = T;

    explicit AsioRoom(AsioRun& run) noexcept : run_(&run) {}
    template <class U>
    AsioRoom(const AsioRoom<U>& other) noexcept : run_(other.run()) {}

    T* allocate(std::size_t count) {
        if (count * sizeof(T) > AsioRun::kRoom || alignof(T) > alignof(std::max_align_t) ||
            run_->roomTaken.test_and_set(std::memory_order_acquire)) {
            return std::allocator<T>().allocate(count);
        }
        run_->tenancy = run_->shared_from_this();
        return reinterpret_cast<T*>(run_->room);
    }
    void deallocate(T* memory, std::size_t count) noexcept {
        if (reinterpret_cast<std::byte*>(memory) == run_->room) {
            const std::shared_ptr<AsioRun> run = std::move(run_->tenancy);
            run->roomTaken.clear(std::memory_order_release);
        } else {
            std::allocator<T>().deallocate(memory, count);
        }
    }

    AsioRun* run() const noexcept { return run_; }
    template <class U>
    bool operator==(const AsioRoom<U>& other) const noexcept {
        return run_ == other.run();
    }

  private:
    AsioRun* run_;
};

/// Ends the step.
class AsioHandler {
  public:
    explicit AsioHandler(std::shared_ptr<AsioRun> run) noexcept : run_(std::move(run)) {}

    const asio::any_io_executor& executor() const noexcept { return run_->executor; }

    using allocator_type = AsioRoom<void>;
    allocator_type get_allocator() const noexcept { return allocator_type(*run_); }

    using cancellation_slot_type = asio::cancellation_slot;
    cancellation_slot_type get_cancellation_slot() const noexcept { return run_->signal.slot(); }

    template <class... V>
    void operator()(const asio::error_code& error, V&&... values) const {
        if (error) {
            fail(asioException(asio::system_error(error)));
        } else {
            succeed(std::forward<V>(values)...);
        }
    }
    template <class... V>
    void operator()(std::exception_ptr error, V&&... values) const {
        if (error != nullptr) {
            fail(std::move(error));
        } else {
            succeed(std::forward<V>(values)...);
        }
    }
    template <class... V>
    void operator()(V&&... values) const {
        succeed(std::forward<V>(values)...);
    }

  private:
    template <class... V>
    void succeed(V&&... values) const {
        run_->told = true;
        run_->awaiter.success(std::forward<V>(values)...);
    }
    void fail(std::exception_ptr error) const {
        run_->told = true;
        run_->awaiter.fail(std::move(error));
    }

    std::shared_ptr<AsioRun> run_;
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
        auto run = std::make_shared<AsioRun>(std::move(awaiter));
        run_ = run;
        std::apply(
            [&](Args&... args) {
                std::move(initiation_)(AsioHandler(std::move(run)), std::move(args)...);
            },
            args_);
    }

  protected:
    /// Null: it has ended.
    std::shared_ptr<AsioRun> ask() {
        std::shared_ptr<AsioRun> run = run_.lock();
        if (run != nullptr) run->signal.emit(asio::cancellation_type::terminal);
        return run;
    }

    Initiation initiation_;
    std::tuple<Args...> args_;
    std::weak_ptr<AsioRun> run_;
};

/// One that uses what its step and those around it hold.
template <class V, class Initiation, class... Args>
class AsioAttached : public AsioOperation<V, Initiation, Args...> {
  public:
    using AsioOperation<V, Initiation, Args...>::AsioOperation;

    bool cancel() { return this->ask() != nullptr; }
    void outlive(Outlived kept) {
        if (const std::shared_ptr<AsioRun> run = this->run_.lock()) run->kept = std::move(kept);
    }
};

template <class V, class Initiation, class... Args>
class AsioFree : public AsioOperation<V, Initiation, Args...> {
  public:
    using AsioOperation<V, Initiation, Args...>::AsioOperation;

    void cancel() { this->ask(); }
};

/// What async_result of the library is for an operation that is awaited.
template <template <class...> class Operation, class... V>
class AsioInitiation {
  public:
    template <class Initiation, class Token, class... Args>
    static auto initiate(Initiation&& initiation, Token&&, Args&&... args) {
        using Value = typename AsioValue<std::decay_t<V>...>::type;
        return Operation<Value, std::decay_t<Initiation>, std::decay_t<Args>...>(
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
