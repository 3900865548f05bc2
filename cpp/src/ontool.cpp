#include "ontool.hpp"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "misuse.hpp"
#include "visit.hpp"

namespace steptree::detail {

namespace {

struct Message : RemoteNode {
    Function<void()> act;
    std::shared_ptr<Message> self;
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;

    static void arrived(ToolCore&, RemoteNode* node, bool) noexcept {
        const std::shared_ptr<Message> message = std::move(static_cast<Message*>(node)->self);
        message->act();
        const std::lock_guard lock(message->mutex);
        message->done = true;
        message->changed.notify_all();
    }
};

std::shared_ptr<Message> post(ToolCore& core, Function<void()> act) {
    auto message = std::make_shared<Message>();
    message->act = std::move(act);
    message->deliver = &Message::arrived;
    message->self = message;
    core.postRemote(*message);
    return message;
}

bool isHere(ToolCore& core) noexcept {
    return core.onOwnThread() || !core.alive() || core.inherited();
}

/// Whether this thread has done it.
bool doneHere(ToolCore& core, Function<void()>& act) {
    if (isHere(core)) {
        act();
        return true;
    }
    if (!core.asksCaller()) return false;
    const Caller caller = core.caller();
    if (caller == Caller::driver || (caller == Caller::outside && !core.isLeft())) return false;
    const ToolCore::Visit visit(core);
    act();
    return true;
}

}  // namespace

bool mustNotWait(ToolCore& core) {
    if (isHere(core)) return false;
    if (!core.asksCaller()) return ToolCore::serving();
    switch (core.caller()) {
        case Caller::inside:
            return false;
        case Caller::driver:
            return true;
        case Caller::outside:
            return !core.isLeft() && ToolCore::serving();
    }
    return true;
}

void onTool(ToolCore& core, const char* call, Function<void()> act) {
    if (doneHere(core, act)) return;
    if (core.caller() == Caller::driver) {
        misuse(std::string(call) +
               ": would wait for its tool on a thread that drives it: call it "
               "on the tool's executor");
    }
    if (ToolCore::serving()) {
        misuse(std::string(call) + ": would wait for another tool in a tool's callback");
    }
    const std::shared_ptr<Message> message = post(core, std::move(act));
    std::unique_lock lock(message->mutex);
    message->changed.wait(lock, [&] { return message->done; });
}

void onlyHere(ToolCore& core, const char* call, Function<void()> act) {
    if (!doneHere(core, act)) misuse(std::string(call) + ": expected the tool's own thread");
}

void later(ToolCore& core, Function<void()> act) {
    post(core, std::move(act));
}

}  // namespace steptree::detail
