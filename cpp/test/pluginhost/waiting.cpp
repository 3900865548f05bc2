// A plug-in that waits, for threads of its own or in vain.
#include <atomic>
#include <mutex>
#include <steptree/plugin.hpp>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

using namespace steptree::plugin;

namespace {

std::mutex mutex;
std::vector<std::thread> threads;
std::atomic<int> cancelled{0};
Completion kept;

Error answers(Step asi) {
    Completion done;
    if (const Error error = asi.wait(done)) return error;
    const std::lock_guard locked(mutex);
    threads.emplace_back([done] {
        const Completion copy(done);
        copy.success("text", 7, 2.5, true);
        done.error("Late");
    });
    return {};
}

Error limits(Step asi) {
    Completion never;
    if (const Error error = asi.setTimeout(5)) return error;
    if (const Error error = asi.setCancel([](Step) { ++cancelled; })) return error;
    return asi.wait(never);
}

// Asks twice for what ends its wait, and keeps one of them; and in a handler, where nothing waits.
Error asks(Step asi) {
    const auto twice = [](Step step) -> Error {
        Completion dropped;
        if (const Error error = step.wait(dropped)) return error;
        if (const Error error = step.wait(kept)) return error;
        kept.error("Asked");
        return {};
    };
    return asi.add(twice, [](Step step, std::string_view) {
        Completion none;
        static_cast<void>(step.wait(none));
        return step.success();
    });
}

Error gives(Step asi, Args args) {
    if (args.number(1) != 7 || args.integer(2, -1) != -1) return asi.error("NoNumber");
    return asi.success(args[0], args.number(2), args.boolean(3),
                       cancelled.load() + args.integer(1));
}

void join() {
    kept = Completion();
    for (std::thread& thread : threads) thread.join();
}

}  // namespace

STEPTREE_PLUGIN_STOPPED_BY(join, "waiting", "1", handler<&answers>("answers", 0, 0, ""),
                           handler<&limits>("limits", 0, 0, ""), handler<&gives>("gives", 4, 4, ""),
                           handler<&asks>("asks", 0, 0, ""))
