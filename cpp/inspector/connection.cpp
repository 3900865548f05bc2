#include "connection.hpp"

#include <asio/buffer.hpp>
#include <asio/completion_condition.hpp>
#include <asio/read.hpp>
#include <asio/read_until.hpp>
#include <asio/write.hpp>
#include <chrono>
#include <utility>

namespace steptree::detail::inspecting {

namespace {

constexpr std::size_t kMostHead = 16'384;
constexpr std::size_t kMostBody = 4096;
/// So long a request may take, and so long its answer.
constexpr std::chrono::seconds kRequest{5};
constexpr std::chrono::seconds kAnswer{30};
constexpr int kNotFound = 404;
constexpr int kFull = 503;

}  // namespace

Connection::Connection(Server& server, asio::ip::tcp::socket socket, std::shared_ptr<void> place)
    : server_(server),
      socket_(std::move(socket)),
      place_(std::move(place)),
      timer_(socket_.get_executor()) {}

void Connection::begin() {
    within(kRequest);
    asio::async_read_until(
        socket_, asio::dynamic_buffer(text_, kMostHead), "\r\n\r\n",
        [self = shared_from_this()](const asio::error_code& error, std::size_t size) {
            if (!error) return self->headRead(size);
            if (error != asio::error::not_found) return self->close();
            self->answer(Server::answerOf(kNotFound));  // it's too long
        });
}

void Connection::within(std::chrono::milliseconds limit) {
    timer_.expires_after(limit);
    timer_.async_wait([self = shared_from_this()](const asio::error_code& error) {
        if (!error) self->close();
    });
}

void Connection::headRead(std::size_t size) {
    auto request = requestOf(std::string_view(text_).substr(0, size));
    const auto asked = request ? server_.door().asked(*request) : std::nullopt;
    if (!asked) return answer(Server::answerOf(kNotFound));
    asked_ = *asked;
    request_ = std::move(*request);
    text_.erase(0, size);
    if (request_.method != "POST") return serve(nullptr);
    const auto length = request_.length();
    if (!length || *length > kMostBody) return serve(nullptr);
    readBody(text_.size(), *length);
}

void Connection::readBody(std::size_t have, std::size_t length) {
    if (have >= length) {
        text_.resize(length);
        return serve(&text_);
    }
    asio::async_read(socket_, asio::dynamic_buffer(text_), asio::transfer_exactly(length - have),
                     [self = shared_from_this()](const asio::error_code& error, std::size_t) {
                         if (error) return self->close();
                         self->serve(&self->text_);
                     });
}

void Connection::serve(const std::string* body) {
    if (request_.method != "GET" || asked_ != "events")
        return answer(server_.answerTo(request_.method, asked_, body));
    if (!server_.mayOpen()) return answer(Server::answerOf(kFull));
    timer_.cancel();
    server_.openPage(std::move(socket_), std::move(place_));
}

void Connection::answer(std::string text) {
    within(kAnswer);
    text_ = std::move(text);
    asio::async_write(socket_, asio::buffer(text_),
                      [self = shared_from_this()](const asio::error_code& error, std::size_t) {
                          if (error) return self->close();
                          asio::error_code ignored;
                          self->socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
                          self->within(kRequest);
                          self->drain();
                      });
}

/// Who is closed while he still sends may not get the answer.
void Connection::drain() {
    socket_.async_read_some(asio::buffer(unread_), [self = shared_from_this()](
                                                       const asio::error_code& error, std::size_t) {
        if (error) return self->close();
        self->drain();
    });
}

void Connection::close() {
    asio::error_code ignored;
    timer_.cancel();
    socket_.close(ignored);
}

}  // namespace steptree::detail::inspecting
