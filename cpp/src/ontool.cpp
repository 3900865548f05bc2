#include "ontool.hpp"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "misuse.hpp"

namespace steptree::detail {

namespace {

struct Visit : RemoteNode {
    Function<void()> act;
    std::shared_ptr<Visit> self;
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;

    static void arrived(ToolCore&, RemoteNode* node, bool) noexcept {
        const std::shared_ptr<Visit> visit = std::move(static_cast<Visit*>(node)->self);
        visit->act();
        const std::lock_guard lock(visit->mutex);
        visit->done = true;
        visit->changed.notify_all();
    }
};

std::shared_ptr<Visit> post(ToolCore& core, Function<void()> act) {
    auto visit = std::make_shared<Visit>();
    visit->act = std::move(act);
    visit->deliver = &Visit::arrived;
    visit->self = visit;
    core.postRemote(*visit);
    return visit;
}

}  // namespace

void onTool(ToolCore& core, const char* call, Function<void()> act) {
    if (isHere(core)) return act();
    if (ToolCore::serving()) {
        misuse(std::string(call) + ": would wait for another tool in a tool's callback");
    }
    const std::shared_ptr<Visit> visit = post(core, std::move(act));
    std::unique_lock lock(visit->mutex);
    visit->changed.wait(lock, [&] { return visit->done; });
}

void later(ToolCore& core, Function<void()> act) {
    post(core, std::move(act));
}

}  // namespace steptree::detail
