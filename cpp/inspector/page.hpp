#pragma once

#include <array>
#include <asio/ip/tcp.hpp>
#include <memory>
#include <optional>
#include <string>

#include "messages.hpp"
#include "steptree/detail/function.hpp"

namespace steptree::detail::inspecting {

/// A page that is open: a stream of messages to it. Whoever doesn't read gets the last one when he
/// does, and nothing piles up. Handlers that wait keep it.
class Page : public std::enable_shared_from_this<Page> {
  public:
    /// `place` is given back with the page.
    Page(asio::ip::tcp::socket socket, std::shared_ptr<void> place);

    /// Only this page knows it.
    const std::string& id() const noexcept { return id_; }
    View view;

    /// With the head of the answer and the first message. `gone` is called once.
    void begin(const std::string& head, const std::string& message, Function<void()> gone);
    /// Who doesn't needs no answer.
    bool reads() const noexcept { return !isWriting_; }
    /// JSON: it has no end of a line in it.
    void send(const std::string& message);
    /// The last message; then it goes.
    void end(const std::string& message);

  private:
    void write(std::string text);
    void written();
    void listen();
    void leave();

    const std::string id_;
    asio::ip::tcp::socket socket_;
    const std::shared_ptr<void> place_;
    Function<void()> gone_;
    std::string text_;  // that is written
    std::optional<std::string> waiting_;
    std::array<char, 256> unread_;
    bool isWriting_ = false;  // it hasn't read what was sent
    bool isLast_ = false;
};

}  // namespace steptree::detail::inspecting
