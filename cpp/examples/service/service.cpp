// A service over HTTP: `GET /wait/300` is answered after 300 ms, as if somebody else had been
// asked.
#include <asio.hpp>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <regex>
#include <set>
#include <steptree/all.hpp>
#include <steptree/asioawait.hpp>
#include <steptree/asiotool.hpp>
#include <string>

using namespace steptree;
using namespace std::chrono_literals;
using asio::ip::tcp;
using Socket = std::shared_ptr<tcp::socket>;

int setting(const char* name, int otherwise) {
    const char* value = std::getenv(name);
    return value == nullptr ? otherwise : std::stoi(value);
}

struct Answer {
    int status;
    std::string text;
};

const auto answer = step([](IAsyncSteps& asi, const std::string& path) -> Values<Answer> {
    std::smatch found;
    if (!std::regex_match(path, found, std::regex("/wait/(\\d{1,6})"))) asi.error("NotFound", path);
    asi.add(delay(std::stoi(found[1])));
    asi.add([text = "waited " + found[1].str() + " ms"](IAsyncSteps&) {
        return Answer{200, text};
    });
    return {};
});

int statusOf(const std::string& code) {
    if (code == "NotFound") return 404;
    if (code == errors::DefenseRejected) return 503;  // no place, and none in the queue
    if (code == errors::Closed) return 503;           // it's about to stop
    return code == errors::Timeout ? 504 : 500;
}

/** Nothing more comes of a client who waits, but the end. */
const auto untilGone = step([](IAsyncSteps& asi, const Socket& socket) -> Values<Answer> {
    asi.await(socket->async_wait(tcp::socket::wait_read, asioAwaited));
    asi.add([](IAsyncSteps& inner) { inner.error("ClientGone"); });
    return {};
});

std::string pathOf(const std::string& head) {
    const auto from = head.find(' ') + 1;
    return head.substr(from, head.find(' ', from) - from);
}

int main() {
    asio::io_context io(1);
    AsioTool loop(io);
    Limiter places({.concurrent = setting("PLACES", 100), .maxQueue = setting("QUEUE", 200)});
    const auto request = sync(places, answer).timeout(1s);  // the wait for a place is part of it

    Options policy;  // a client that leaves is an error of its flow, and none of the service's
    policy.unhandled = [](auto&&...) {};
    Scope clients(loop.tool(), std::make_shared<const Options>(std::move(policy)));
    std::set<Socket> idle;

    // As much HTTP as curl and a proxy need: one request a connection.
    const auto serve = step([&](IAsyncSteps& asi, const Socket& socket) {
        asi.setTimeout(10s);  // for who says nothing, or doesn't read
        asi.defer([&, socket](IAsyncSteps&) { idle.erase(socket); });
        auto& head = asi.stack<std::string>();
        idle.insert(socket);
        asi.await(asio::async_read_until(*socket, asio::dynamic_buffer(head, 8192), "\r\n\r\n",
                                         asioAwaited));
        asi.add([&, socket](IAsyncSteps& inner, std::size_t) {
            idle.erase(socket);
            const auto path = pathOf(head);
            const auto failed = [path](IAsyncSteps& handler, const std::string& code) {
                if (code == "ClientGone") std::cout << path << ": the client has left" << std::endl;
                if (code == "ClientGone") return;  // and nobody reads an answer
                handler.success(Answer{statusOf(code), code});
            };
            inner.add(race(request.with(path), untilGone.with(socket)).onError(failed));
            inner.add([path, socket](IAsyncSteps& write, const Answer& answer) {
                std::cout << path << ": " << answer.text << std::endl;
                const auto& text = write.stack<std::string>(
                    "HTTP/1.1 " + std::to_string(answer.status) +
                    " -\r\nConnection: close\r\nContent-Length: " +
                    std::to_string(answer.text.size() + 1) + "\r\n\r\n" + answer.text + "\n");
                write.await(asio::async_write(*socket, asio::buffer(text), asioAwaited));
            });
        });
    });

    tcp::acceptor acceptor(
        io, {asio::ip::address_v4::loopback(), asio::ip::port_type(setting("PORT", 8080))});
    asio::steady_timer pause(io);
    std::function<void()> accept = [&] {
        acceptor.async_accept([&](asio::error_code error, tcp::socket socket) {
            if (!acceptor.is_open()) return;
            if (!error) clients.start(serve.with(std::make_shared<tcp::socket>(std::move(socket))));
            if (!error) return accept();
            pause.expires_after(100ms);  // too many files, for instance: others close theirs
            pause.async_wait([&](asio::error_code) { accept(); });
        });
    };
    accept();
    std::cout << "listening on " << acceptor.local_endpoint().port() << std::endl;

    asio::signal_set signals(io, SIGTERM);
    signals.async_wait([&](asio::error_code, int) {
        acceptor.close();  // nobody else comes
        pause.cancel();
        clients.drain(5s).onSettled([](const auto& drained) {
            std::cout << "stopped, " << drained.get() << " cancelled" << std::endl;
        });
        for (const Socket& socket : idle) socket->close();
    });
    io.run();
}
