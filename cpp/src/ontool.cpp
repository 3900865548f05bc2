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

struct Errand : RemoteNode {
    Function<void(bool)> act;

    static void arrived(ToolCore&, RemoteNode* node, bool alive) noexcept {
        const std::unique_ptr<Errand> errand(static_cast<Errand*>(node));
        errand->act(alive);
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

/// Whether this thread has done it.
bool doneHere(ToolCore& core, Function<void()>& act) {
    if (!isHere(core)) return false;
    if (core.onOwnThread() || !core.alive()) {
        act();
    } else {
        const ToolCore::Visit visit(core);
        act();
    }
    return true;
}

void postAndWait(ToolCore& core, Function<void()> act) {
    const std::shared_ptr<Message> message = post(core, std::move(act));
    std::unique_lock lock(message->mutex);
    message->changed.wait(lock, [&] { return message->done; });
}

}  // namespace

bool isHereToo(ToolCore& core) noexcept {
    return !core.alive() || core.inherited() || core.drivenHere();
}

bool mustNotWait(ToolCore& core) noexcept {
    if (isHere(core)) return false;
    return core.caller() == Caller::driver || ToolCore::serving();
}

void onTool(ToolCore& core, const char* call, Function<void()> act) {
    if (doneHere(core, act)) return;
    const auto refuse = [call](const char* why) { misuse(std::string(call) + why); };
    if (core.caller() == Caller::driver) {
        refuse(
            ": would wait for its tool on a thread that drives it: call it on the tool's executor");
    }
    if (ToolCore::serving()) refuse(": would wait for another tool in a tool's callback");
    if (core.undriven()) refuse(": would wait for a tool that nobody has driven yet");
    postAndWait(core, std::move(act));
}

void waitFor(ToolCore& core, Function<void()> act) {
    if (!doneHere(core, act)) postAndWait(core, std::move(act));
}

void refuseThread(const char* call) {
    misuse(std::string(call) + ": called on another thread than the tool's");
}

void checkSlowly(ToolCore& core, const char* call) {
    if (!isHereToo(core)) refuseThread(call);
}

void later(ToolCore& core, Function<void(bool alive)> act) {
    auto errand = std::make_unique<Errand>();
    errand->act = std::move(act);
    errand->deliver = &Errand::arrived;
    core.postRemote(*errand.release());
}

}  // namespace steptree::detail
