template <class T>
struct ExecuteSignature {
    using type = void(std::exception_ptr, T);
};
template <>
struct ExecuteSignature<void> {
    using type = void(std::exception_ptr);
};

/// Tells a completion handler of Asio's how a flow has ended, where that handler wants to be
/// called.
template <class T, class Handler>
class ExecuteDone {
  public:
    explicit ExecuteDone(Handler&& handler)
        : work_(asio::get_associated_executor(handler)), handler_(std::move(handler)) {}

    void operator()(Outcome& outcome) {
        const auto executor = work_.get_executor();
        asio::dispatch(executor, [self = std::move(*this), error = outcome.error,
                                  values = std::move(outcome.values)]() mutable {
            asio::get_associated_cancellation_slot(self.handler_).clear();
            self.work_.reset();
            self.call(std::move(error), values);
        });
    }

  private:
    void call(std::exception_ptr error, Results& values) {
        if constexpr (std::is_void_v<T>) {
            std::move(handler_)(std::move(error));
        } else {
            T value{};
            try {
                if (error == nullptr) take(value, values);
            } catch (...) {
                error = std::current_exception();  // of another type
            }
            std::move(handler_)(std::move(error), std::move(value));
        }
    }
    template <class V>
    static void take(V& value, Results& values) {
        if constexpr (std::is_same_v<V, Results>) {
            value = std::move(values);
        } else {
            value = std::move(values.at<V>(0));
        }
    }

    using Executor = asio::associated_executor_t<Handler>;

    asio::executor_work_guard<Executor> work_;
    Handler handler_;
};

/// Executes a flow as an operation of Asio's, for any of its completion tokens; in a coroutine of
/// Asio's. Guide: docs/waiting.md#event-loops
///
///     std::string name = co_await asyncExecute<std::string>(flow, asio::use_awaitable);
///
/// It completes with the first value of the flow, all of them if T is Results, or none if it is
/// void; or with the exception that promise() would reject with. A cancellation of the operation
/// cancels the flow, on the flow's own thread. The handler is called by its own executor, which is
/// kept running till then. The flow has to live that long, and is not executed by others meanwhile:
/// InternalError to the caller.
template <class T = void, class Token>
auto asyncExecute(IFlow& flow, Token&& token) {
    using Signature = typename ExecuteSignature<T>::type;
    return asio::async_initiate<Token, Signature>(
        [](auto handler, IFlow* started) {
            auto slot = asio::get_associated_cancellation_slot(handler);
            if (slot.is_connected()) {
                slot.assign([canceller = started->canceller()](asio::cancellation_type type) {
                    if (type != asio::cancellation_type::none) canceller.cancel();
                });
            }
            try {
                started->execute(ExecuteDone<T, decltype(handler)>(std::move(handler)));
            } catch (...) {
                if (slot.is_connected()) slot.clear();
                throw;
            }
        },
        token, &flow);
}
