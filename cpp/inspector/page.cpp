#include "page.hpp"

#include <asio/buffer.hpp>
#include <asio/write.hpp>
#include <cstddef>
#include <utility>

#include "chance.hpp"

namespace steptree::detail::inspecting {

namespace {

constexpr std::size_t kPageBytes = 12;
/// What the system keeps for a page that doesn't read is old when it does.
constexpr int kSendBuffer = 65'536;

std::string dataOf(const std::string& message) {
    return "data: " + message + "\n\n";
}

}  // namespace

Page::Page(asio::ip::tcp::socket socket, std::shared_ptr<void> place)
    : id_(chance(kPageBytes)), socket_(std::move(socket)), place_(std::move(place)) {}

void Page::begin(const std::string& head, const std::string& message, Function<void()> gone) {
    asio::error_code ignored;
    socket_.set_option(asio::socket_base::send_buffer_size(kSendBuffer), ignored);
    gone_ = std::move(gone);
    write(head + dataOf(message));
    listen();
}

void Page::send(const std::string& message) {
    if (isLast_) return;
    if (isWriting_)
        waiting_ = dataOf(message);
    else
        write(dataOf(message));
}

void Page::end(const std::string& message) {
    send(message);
    isLast_ = true;
}

void Page::write(std::string text) {
    text_ = std::move(text);
    asio::async_write(socket_, asio::buffer(text_),
                      [self = shared_from_this()](const asio::error_code& error, std::size_t) {
                          if (error) return self->leave();
                          self->written();
                      });
    isWriting_ = true;
}

void Page::written() {
    isWriting_ = false;
    if (waiting_) {
        std::string next = std::move(*waiting_);
        waiting_.reset();
        write(std::move(next));
    } else if (isLast_) {
        leave();
    }
}

/// It says nothing, but when it goes.
void Page::listen() {
    socket_.async_read_some(asio::buffer(unread_), [self = shared_from_this()](
                                                       const asio::error_code& error, std::size_t) {
        if (error) return self->leave();
        self->listen();
    });
}

void Page::leave() {
    asio::error_code ignored;
    socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
    socket_.close(ignored);
    if (gone_) std::exchange(gone_, {})();
}

}  // namespace steptree::detail::inspecting
