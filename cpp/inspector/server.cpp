#include "server.hpp"

#include <fcntl.h>

#include <asio/ip/address.hpp>
#include <asio/post.hpp>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

#include "connection.hpp"
#include "pagefile.hpp"
#include "steptree/error.hpp"
#include "steptree/version.hpp"
#include "view.hpp"

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

namespace steptree::detail::inspecting {

namespace {

constexpr std::size_t kMostConnections = 64;
/// Of a server that has to close although somebody doesn't read.
constexpr std::chrono::milliseconds kLast{500};
constexpr std::chrono::milliseconds kRest{100};

constexpr std::string_view kCommon =
    "cache-control: no-store\r\n"
    "referrer-policy: no-referrer\r\n"
    "x-content-type-options: nosniff\r\n"
    "x-frame-options: DENY\r\n"
    "cross-origin-resource-policy: same-origin\r\n"
    "connection: close\r\n";

std::string headOf(int status, std::string_view more) {
    const char* const phrase = status == 200   ? "OK"
                               : status == 202 ? "Accepted"
                               : status == 204 ? "No Content"
                               : status == 400 ? "Bad Request"
                               : status == 403 ? "Forbidden"
                               : status == 404 ? "Not Found"
                               : status == 410 ? "Gone"
                                               : "Service Unavailable";
    std::string head = "HTTP/1.1 " + std::to_string(status) + ' ' + phrase + "\r\n";
    return head.append(kCommon).append(more).append("\r\n");
}

std::string lengthOf(std::size_t bytes) {
    return "content-length: " + std::to_string(bytes) + "\r\n";
}

std::string programName() {
#ifdef __GLIBC__
    return std::string(program_invocation_short_name) + ", pid " + std::to_string(::getpid());
#else
    return "pid " + std::to_string(::getpid());
#endif
}

std::string versionText() {
    return std::to_string(STEPTREE_VERSION_MAJOR) + '.' + std::to_string(STEPTREE_VERSION_MINOR) +
           '.' + std::to_string(STEPTREE_VERSION_PATCH);
}

/// Where this machine finds it.
std::string reachable(const asio::ip::address& address) {
    if (address.is_unspecified()) return address.is_v6() ? "[::1]" : "127.0.0.1";
    return address.is_v6() ? '[' + address.to_string() + ']' : address.to_string();
}

/// Programs that this one starts don't have it.
template <class Socket>
void keepHere(Socket& socket) {
    ::fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);
}

}  // namespace

Server::Server(ServerData data, std::shared_ptr<const HeldTurn> held)
    : data_(std::move(data)),
      door_(data_.host),
      pages_(io_, std::move(held), [this](Pages::Asks asks) { asks_.frames(std::move(asks)); }) {
    listen();
}

void Server::listen() {
    using tcp = asio::ip::tcp;
    asio::error_code error;
    const auto found = tcp::resolver(io_).resolve(data_.host, std::to_string(data_.port), error);
    if (error || found.empty() || data_.host.empty())
        throw StepError(errors::InternalError, "Inspector: host: expected an address");
    const tcp::endpoint at = found.begin()->endpoint();
    const auto check = [&] {
        if (!error) return;
        throw std::system_error(
            error.value(), std::system_category(),
            "Inspector: listen at " + data_.host + " port " + std::to_string(data_.port));
    };
    acceptor_.open(at.protocol(), error);
    check();
    keepHere(acceptor_);
    acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    acceptor_.bind(at, error);
    check();
    acceptor_.listen(tcp::acceptor::max_listen_connections, error);
    check();
    const tcp::endpoint own = acceptor_.local_endpoint(error);
    check();
    url_ = "http://" + reachable(own.address()) + ':' + std::to_string(own.port()) + '/' +
           door_.token() + '/';
}

/// Short of memory a request isn't answered, those that come wait, and a page isn't told the last.
void Server::run(ServerAsks asks) noexcept {
    asks_ = std::move(asks);
    while (!isOver_) {
        io_.restart();  // first: who asks to close it behind that stops it again
        try {
            if (closes_) closeNow();
            if (!isClosing_ && !isAccepting_) accept();
            pages_.goOn();
            io_.run();
        } catch (...) {
            if (isClosing_) return;
            std::this_thread::sleep_for(kRest);
        }
    }
}

std::shared_ptr<void> Server::place() {
    ++*connections_;
    return {connections_.get(), [connections = connections_](void*) { --*connections; }};
}

void Server::accept() {
    acceptor_.async_accept([this](const asio::error_code& error, asio::ip::tcp::socket socket) {
        isAccepting_ = false;
        if (isClosing_) return;
        if (error) return acceptLater();
        accept();
        if (*connections_ >= kMostConnections) return;
        keepHere(socket);
        std::make_shared<Connection>(*this, std::move(socket), place())->begin();
    });
    isAccepting_ = true;
}

/// The process has no more files.
void Server::acceptLater() {
    timer_.expires_after(kRest);
    timer_.async_wait([this](const asio::error_code& error) {
        isAccepting_ = false;
        if (!error && !isClosing_) accept();
    });
    isAccepting_ = true;
}

std::string Server::answerOf(int status) {
    return headOf(status, status == 204 ? std::string() : lengthOf(0));
}

std::string Server::answerTo(std::string_view method, std::string_view asked,
                             const std::string* body) {
    if (method == "GET" && asked.empty()) {
        const std::string_view page = pageFile();
        return headOf(200, "content-type: text/html; charset=utf-8\r\n" + lengthOf(page.size()))
            .append(page);
    }
    if (method == "POST" && asked == "view") return look(body);
    if (method == "POST" && asked == "cancel") return cancel(body);
    return answerOf(404);
}

std::string Server::look(const std::string* body) {
    const auto asked = body != nullptr ? viewOf(*body) : std::nullopt;
    if (!asked) return answerOf(400);
    return answerOf(pages_.look(asked->page, asked->view) ? 204 : 410);
}

std::string Server::cancel(const std::string* body) {
    if (!data_.allowCancel) return answerOf(403);
    const auto run = body != nullptr ? runOf(*body) : std::nullopt;
    if (!run) return answerOf(400);
    asks_.cancel(*run);
    return answerOf(202);
}

void Server::openPage(asio::ip::tcp::socket socket, std::shared_ptr<void> place) {
    Json hello;
    hello.begin('{')
        .field("type", "hello")
        .field("program", programName())
        .field("version", versionText())
        .field("cancel", data_.allowCancel)
        .field("virtual", data_.standsStill);
    pages_.open(std::make_shared<Page>(std::move(socket), std::move(place)),
                headOf(200, "content-type: text/event-stream\r\n"), std::move(hello));
}

void Server::answer(Pages::Asks asks, std::vector<std::string> frames) {
    asio::post(io_, [this, asks = std::move(asks), frames = std::move(frames)] {
        pages_.answer(asks, frames);
    });
}

void Server::close() noexcept {
    closes_ = true;
    io_.stop();
}

void Server::closeNow() {
    if (std::exchange(isClosing_, true)) return;
    asio::error_code ignored;
    acceptor_.close(ignored);
    timer_.expires_after(kLast);
    timer_.async_wait([this](const asio::error_code&) { over(); });
    pages_.close([this] { over(); });
}

void Server::over() {
    isOver_ = true;
    io_.stop();
}

}  // namespace steptree::detail::inspecting
