#include "serverthread.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "inspected.hpp"

namespace steptree::detail::inspecting {

namespace {

/// On the tool's thread. Short of memory pages aren't shown that, or no answer comes; a tool that
/// is gone has closed the server.
void answer(Server& server, Inspected* inspected, Pages::Asks asks) noexcept {
    std::vector<std::string> frames;
    try {
        std::vector<View> views;
        for (const Pages::Ask& ask : *asks) views.push_back(ask.view);
        if (inspected != nullptr) frames = inspected->frames(views);
    } catch (...) {
        frames.clear();
    }
    try {
        server.answer(std::move(asks), std::move(frames));
    } catch (...) {
        return;
    }
}

ServerAsks asksOf(const std::shared_ptr<Sight>& tool, std::weak_ptr<Inspected> inspected,
                  std::weak_ptr<Server> server) {
    const auto frames = [tool, inspected, server](Pages::Asks asks) {
        tool->later([inspected, server, asks = std::move(asks)](bool alive) mutable {
            const auto answering = server.lock();
            const auto asked = alive ? inspected.lock() : nullptr;
            if (answering != nullptr) answer(*answering, asked.get(), std::move(asks));
        });
    };
    const auto cancel = [tool, inspected](std::uint64_t run) {
        tool->later([inspected, run](bool alive) {
            const auto asked = alive ? inspected.lock() : nullptr;
            if (asked != nullptr) asked->cancel(run);
        });
    };
    return {frames, cancel};
}

}  // namespace

ServerThread::ServerThread(Tool& tool, InspectorOptions options)
    : sight_(tool.sight()),
      held_(std::make_shared<HeldTurn>()),
      server_(std::make_shared<Server>(ServerData{.port = options.port,
                                                  .host = std::move(options.host),
                                                  .allowCancel = options.allowCancel,
                                                  .standsStill = sight_->standsStill()},
                                       held_)) {
    const auto gone = [server = std::weak_ptr(server_)] {
        if (const auto closing = server.lock()) closing->close();
    };
    auto inspected = std::make_shared<Inspected>(sight_, held_, gone);
    ServerAsks asks = asksOf(sight_, inspected, server_);
    if (sight_->isHere()) {
        Inspected::begin(inspected);
    } else {
        sight_->later([inspected](bool alive) {
            try {
                if (alive) Inspected::begin(inspected);
            } catch (...) {
                return;
            }
        });
    }
    try {
        thread_ = std::thread(
            [server = server_, asks = std::move(asks)]() mutable { server->run(std::move(asks)); });
    } catch (...) {
        sight_->end();
        throw;
    }
}

ServerThread::~ServerThread() {
    sight_->end();
    server_->close();
    thread_.join();
}

}  // namespace steptree::detail::inspecting
