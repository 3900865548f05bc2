#pragma once

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "door.hpp"
#include "held.hpp"
#include "json.hpp"
#include "pages.hpp"
#include "steptree/detail/function.hpp"

namespace steptree::detail::inspecting {

/// What it begins with.
struct ServerData {
    std::uint16_t port;
    std::string host;
    bool allowCancel;
    bool standsStill;  // the tool's time, in between
};

/// What it asks of the tool's thread. May throw bad_alloc.
struct ServerAsks {
    Function<void(Pages::Asks)> frames;
    Function<void(std::uint64_t)> cancel;
};

/// The server of an inspector, which has a thread of its own.
class Server {
  public:
    /// It listens. std::system_error if it can't.
    Server(ServerData data, std::shared_ptr<const HeldTurn> held);

    const std::string& url() const noexcept { return url_; }

    /// Until it's closed. Nothing of it is asked for before.
    void run(ServerAsks asks) noexcept;

    // ---- any thread
    /// Throws bad_alloc.
    void answer(Pages::Asks asks, std::vector<std::string> frames);
    /// Takes no memory.
    void close() noexcept;

    // ---- for its connections
    /// How many have to come to an end before another one is served.
    std::shared_ptr<void> place();
    const Door& door() const noexcept { return door_; }
    /// Answers, as a whole.
    std::string answerTo(std::string_view method, std::string_view asked, const std::string* body);
    void openPage(asio::ip::tcp::socket socket, std::shared_ptr<void> place);
    bool mayOpen() const noexcept { return !isClosing_ && !pages_.isFull(); }

    static std::string answerOf(int status);

  private:
    void listen();
    void accept();
    void acceptLater();
    void closeNow();
    void over();
    std::string look(const std::string* body);
    std::string cancel(const std::string* body);

    asio::io_context io_{1};
    const ServerData data_;
    const Door door_;
    ServerAsks asks_;
    Pages pages_;
    asio::ip::tcp::acceptor acceptor_{io_};
    asio::steady_timer timer_{io_};  // of closing; or when it couldn't accept
    std::string url_;
    std::shared_ptr<std::size_t> connections_ = std::make_shared<std::size_t>(0);
    std::atomic<bool> closes_{false};  // that was asked for
    bool isAccepting_ = false;         // or will, when its timer fires
    bool isClosing_ = false;
    bool isOver_ = false;
};

}  // namespace steptree::detail::inspecting
