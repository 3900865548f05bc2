#pragma once

#include <memory>
#include <string>
#include <thread>

#include "held.hpp"
#include "server.hpp"
#include "steptree/detail/sight.hpp"
#include "steptree/inspector.hpp"

namespace steptree::detail::inspecting {

/// The thread of an inspector's server, as that of the tool sees it. It asks, and is answered when
/// the tool's loop comes to it. There is never more than one question on its way.
class ServerThread {
  public:
    ServerThread(Tool& tool, InspectorOptions options);
    ServerThread(const ServerThread&) = delete;
    ServerThread& operator=(const ServerThread&) = delete;
    ~ServerThread();

    const std::string& url() const noexcept { return server_->url(); }

  private:
    const std::shared_ptr<Sight> sight_;
    const std::shared_ptr<HeldTurn> held_;
    const std::shared_ptr<Server> server_;
    std::thread thread_;
};

}  // namespace steptree::detail::inspecting
