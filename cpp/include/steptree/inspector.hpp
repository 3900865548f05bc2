#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "steptree/tool.hpp"

namespace steptree {

namespace detail::inspecting {
class ServerThread;
}

/// Of an Inspector.
struct InspectorOptions {
    std::uint16_t port = 0;  ///< where it listens; 0: one that is free
    /// At which address. The default: only this machine reaches it. Who reaches it needs its token,
    /// too, which the URL has.
    std::string host = "127.0.0.1";
    bool allowCancel = false;  ///< whether the page may cancel flows
};

/// Serves a page that shows in a browser what the flows of a tool do: which of them run, what each
/// waits for and since when, guards and their queues, slow steps, errors, and whether the loop is
/// held. A thread of its own serves it, until it's closed, destroyed, or the tool goes, which may
/// be before. Flows are observed as long, and looked at while a page is open, when the tool runs.
///
/// Link steptree::inspector. Guide: docs/hangs.md#look-at-it-live
///
///     const Inspector inspector(tool, {.port = 9330});
///     std::cout << inspector.url() << std::endl;
class STEPTREE_VISIBLE Inspector {
  public:
    /// Any thread; on another one than the tool's it observes from the tool's next pass on. If it
    /// can't listen: std::system_error, as EADDRINUSE; for what is no address InternalError.
    explicit Inspector(Tool& tool, InspectorOptions options = {});
    Inspector(Inspector&& other) noexcept;
    Inspector& operator=(Inspector&& other) noexcept;
    ~Inspector();

    /// Of the page, with the token that opens it.
    const std::string& url() const noexcept { return url_; }

    /// Tells the pages, and waits until their connections are closed: half a second if one doesn't
    /// read. Any thread, one at a time. Again: nothing.
    void close() noexcept;

  private:
    std::unique_ptr<detail::inspecting::ServerThread> thread_;
    std::string url_;
};

}  // namespace steptree
