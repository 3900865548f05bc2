// Each call of the accessor, with nothing else included: the contract is all that a plug-in needs.
#include "steptree/iasyncsteps.hpp"

using namespace steptree;

namespace {

/// As std::chrono::duration is.
template <int one, int of>
struct Time {
    struct period {
        static constexpr int num = one;
        static constexpr int den = of;
    };
    using rep = int;

    int count() const { return 1; }
};

/// Something to await.
struct Answer {
    void subscribe(const Awaiter& awaiter) { awaiter.success(42); }
    void cancel() {}
};

struct Items {
    int items[3] = {1, 2, 3};

    const int* begin() const { return items; }
    const int* end() const { return items + 3; }
};

}  // namespace

void everything(IAsyncSteps& asi, Guard& guard, ISync& own) {
    const auto plain = [](IAsyncSteps&) {};
    asi.setTimeout(5);
    asi.setTimeout(Time<60, 1>(), "TooLong");
    asi.setCancel(plain);
    asi.defer([](IAsyncSteps&, const Outcome& outcome) { static_cast<void>(outcome.values); });
    asi.stack<int>(asi.remaining() < 5 ? 1 : 2);
    asi.state<int>("key") = 3;
    asi.add([](IAsyncSteps& step) { step.success(1, "two"); },
            [](IAsyncSteps& step, ErrorCode) { step.error(errors::Timeout, "info"); }, "name");
    asi.add([](IAsyncSteps&, int, const std::string& text) { return text; });
    asi.add([](IAsyncSteps&) { return Values(1, 2); });
    asi.loop([](IAsyncSteps& step) { step.breakLoop(); }, "label");
    asi.repeat(3, [](IAsyncSteps& step, int) { step.continueLoop(); });
    asi.forEach(Items(), [](IAsyncSteps&, std::size_t, const int&) {});
    asi.await(Answer());
    asi.sync(guard, plain).sync(own, plain);
    asi.parallel().add(plain).repeat(2, plain);
    asi.successStep(1, "two").relinquish();
    asi.add([](IAsyncSteps& step) {
        const Completion done = step.waitExternal();
        done.success(1);
        done.error("E");
    });
    if (asi) asi.errorNoThrow("E");
    asi.breakNoThrow();
    asi.continueNoThrow();
    throw StepError("E");
}
