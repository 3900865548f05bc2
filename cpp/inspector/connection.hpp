#pragma once

#include <array>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "request.hpp"
#include "server.hpp"

namespace steptree::detail::inspecting {

/// One request, and its answer: then it ends, but for a page's, which goes on as that. Handlers
/// that wait keep it.
class Connection : public std::enable_shared_from_this<Connection> {
  public:
    Connection(Server& server, asio::ip::tcp::socket socket, std::shared_ptr<void> place);

    void begin();

  private:
    void within(std::chrono::milliseconds limit);
    void headRead(std::size_t size);
    void readBody(std::size_t have, std::size_t length);
    void serve(const std::string* body);
    void answer(std::string text);
    void drain();
    void close();

    Server& server_;
    asio::ip::tcp::socket socket_;
    std::shared_ptr<void> place_;
    asio::steady_timer timer_;
    std::string text_;  // what was read; then what is written
    Request request_;
    std::string asked_;
    std::array<char, 1024> unread_;
};

}  // namespace steptree::detail::inspecting
