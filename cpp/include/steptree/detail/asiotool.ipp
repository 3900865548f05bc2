/// Runs a tool on an executor of Asio's, so that flows, sockets and timers share a thread or a
/// strand. Nothing else in steptree needs Asio.
///
/// The executor is kept running by armed timers and by what is ready, not by a tool that merely
/// waits for completions: sockets, or a work guard of yours, do that. Make and destroy it where
/// nothing else runs that executor at the moment, or in one of its handlers.
/// Guide: docs/server.md#a-server-in-c-with-asio
///
///     asio::io_context io;
///     AsioTool asioTool(io);
///     asioTool.tool().start(poll);
class AsioTool {
  public:
    /// On the thread that runs the io_context: all of its handlers may use flows and completions
    /// directly. A second thread that runs it while the first lives gets an InternalError out of
    /// run(); for several there is io.get_executor(). `pool`: see IMemPool; null: the tool's own.
    explicit AsioTool(asio::io_context& io, IMemPool* pool = nullptr)
        : AsioTool(std::make_shared<Loop>(&io, io.get_executor(), std::nullopt), pool) {}

    /// On a strand, whichever threads run it: its handlers may use flows and completions directly.
    /// All others are to the tool what other threads are; other handlers of the io_context behind
    /// it must not wait for the tool, as cancel() of a flow does: InternalError.
    template <class Executor>
    explicit AsioTool(const asio::strand<Executor>& strand, IMemPool* pool = nullptr)
        : AsioTool(std::make_shared<Loop>(nullptr, strand, Strand(strand)), pool) {}

    /// The same; on a strand of its own if the executor isn't one.
    explicit AsioTool(const asio::any_io_executor& executor, IMemPool* pool = nullptr)
        : AsioTool(strandOf(executor), pool) {}

    AsioTool(const AsioTool&) = delete;
    AsioTool& operator=(const AsioTool&) = delete;

    /// Drops what is pending, unrun.
    ~AsioTool() {
        loop_->tool.reset();
        loop_->timer.cancel();
    }

    /// What flows are made with.
    AsyncTool& tool() noexcept { return *loop_->tool; }

    /// What the tool runs on, for sockets and handlers that use its flows.
    const asio::any_io_executor& executor() const noexcept { return loop_->executor; }

  private:
    using Strand = asio::strand<asio::any_io_executor>;

    /// Null: it is another one.
    template <class Executor>
    static const Executor* targetOf(const asio::any_io_executor& executor) noexcept {
        return executor.target_type() == typeid(Executor) ? executor.target<Executor>() : nullptr;
    }

    // Handlers that are still in the executor keep it, and find the tool gone.
    struct Loop : std::enable_shared_from_this<Loop> {
        Loop(asio::io_context* context, asio::any_io_executor runner, std::optional<Strand> serial)
            : io(context),
              executor(std::move(runner)),
              strand(std::move(serial)),
              timer(executor) {}

        void post() {
            if (posted.exchange(true, std::memory_order_acq_rel)) return;
            auto handler = [self = shared_from_this()] { self->iterate(); };
            if (io != nullptr) {
                asio::post(*io, std::move(handler));
            } else {
                asio::post(executor, std::move(handler));
            }
        }

        void iterate() {
            posted.store(false, std::memory_order_release);
            if (!tool) return;
            const AsyncTool::Left left = pass();
            if (!tool) return;
            if (left.delay == 0) {
                post();
            } else if (left.delay == AsyncTool::kNever) {
                if (std::exchange(armed, kNotArmed) != kNotArmed) timer.cancel();
            } else {
                sleep(left.delay);
            }
        }

        /// The tool may be refused to who asks; others will run it.
        AsyncTool::Left pass() try {
            if (io != nullptr) expectOneThread();
            struct Current {
                explicit Current(const asio::any_io_executor& executor) noexcept
                    : before(std::exchange(currentExecutor, &executor)) {}
                Current(const Current&) = delete;
                Current& operator=(const Current&) = delete;
                ~Current() { currentExecutor = before; }
                const asio::any_io_executor* before;
            };
            const Current current(executor);
            return tool->iterate();
        } catch (...) {
            post();
            throw;
        }

        /// Handlers use flows without a lock.
        void expectOneThread() {
            static thread_local const auto life = std::make_shared<char>();
            if (life.get() == home) return;
            if (homeLives.lock() != nullptr) {
                throw StepError(errors::InternalError,
                                "AsioTool: a second thread runs its io_context, which needs a "
                                "strand: make it with io.get_executor()");
            }
            home = life.get();
            homeLives = life;
        }

        /// Of a strand.
        Caller caller() const {
            if (strand->running_in_this_thread()) return Caller::inside;
            const auto inner = strand->get_inner_executor();
            const auto* runner = targetOf<asio::io_context::executor_type>(inner);
            return runner != nullptr && runner->running_in_this_thread() ? Caller::driver
                                                                         : Caller::outside;
        }

        /// A wait that ends earlier than it has to only looks again; arming it anew costs more.
        void sleep(std::int64_t ms) {
            // Far timers are looked at once a day, which keeps the clock's range out of the way.
            const auto delay = std::chrono::milliseconds(std::min<std::int64_t>(ms, 86'400'000));
            const Time due = asio::steady_timer::clock_type::now() + delay;
            if (due >= armed) return;
            armed = due;
            timer.expires_at(due);
            timer.async_wait([self = shared_from_this()](const asio::error_code& error) {
                if (error) return;
                self->armed = kNotArmed;
                self->iterate();
            });
        }

        using Time = asio::steady_timer::time_point;
        static constexpr Time kNotArmed = Time::max();

        asio::io_context* const io;  // null: any executor, that is a strand
        const asio::any_io_executor executor;
        const std::optional<Strand> strand;
        asio::steady_timer timer;
        Time armed = kNotArmed;  // when `timer` ends
        std::atomic<bool> posted{false};
        std::optional<AsyncTool> tool;
        const char* home = nullptr;  // the thread that runs `io`
        std::weak_ptr<const char> homeLives;
    };

    AsioTool(std::shared_ptr<Loop> loop, IMemPool* pool) : loop_(std::move(loop)) {
        AsyncTool::Driven driven{.wake = [loop = loop_.get()] { loop->post(); }, .pool = pool};
        if (loop_->strand) driven.caller = [loop = loop_.get()] { return loop->caller(); };
        loop_->tool.emplace(std::move(driven));
        loop_->post();  // whatever runs the executor becomes the tool's thread
    }

    static std::shared_ptr<Loop> strandOf(const asio::any_io_executor& executor) {
        if (const auto* strand = targetOf<Strand>(executor)) {
            return std::make_shared<Loop>(nullptr, executor, *strand);
        }
        using IoStrand = asio::strand<asio::io_context::executor_type>;
        if (const auto* strand = targetOf<IoStrand>(executor)) {
            return std::make_shared<Loop>(nullptr, executor, Strand(*strand));
        }
        Strand strand(executor);
        return std::make_shared<Loop>(nullptr, strand, strand);
    }

    std::shared_ptr<Loop> loop_;
};
