#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace bench {

/// How many there are, and the bytes of a message.
inline constexpr std::size_t kClients = 100;
inline constexpr std::size_t kMessage = 64;

/// A plain socket that blocks.
class Client {
  public:
    Client() : socket_(check(::socket(AF_INET, SOCK_STREAM, 0))) {}
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;
    ~Client() { close(); }

    void connect(std::uint16_t port) {
        sockaddr_in server{};
        server.sin_family = AF_INET;
        server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        server.sin_port = htons(port);
        const int on = 1;
        check(::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)));
        check(::connect(socket_, reinterpret_cast<const sockaddr*>(&server), sizeof(server)));
    }
    void close() noexcept {
        if (socket_ >= 0) ::close(std::exchange(socket_, -1));
    }

    /// A message of that round, unlike those of others.
    void send(std::size_t round) const {
        const Message message(socket_, round);
        check(::send(socket_, message.bytes, kMessage, 0) == kMessage ? 0 : -1);
    }
    /// Waits for as many bytes; whether they are that message.
    bool receives(std::size_t round) const {
        char bytes[kMessage];
        check(::recv(socket_, bytes, kMessage, MSG_WAITALL) == kMessage ? 0 : -1);
        return std::memcmp(bytes, Message(socket_, round).bytes, kMessage) == 0;
    }
    /// The other side has, and has sent nothing before.
    bool isClosed() const {
        char byte;
        return ::recv(socket_, &byte, 1, MSG_DONTWAIT) == 0;
    }

  private:
    struct Message {
        Message(int socket, std::size_t round) noexcept {
            for (std::size_t i = 0; i < kMessage; ++i) {
                bytes[i] = static_cast<char>(round * 31 + static_cast<std::size_t>(socket) + i);
            }
        }
        char bytes[kMessage];
    };

    static int check(int result) {
        if (result < 0) throw std::runtime_error("a client's socket fails");
        return result;
    }

    int socket_;
};

}  // namespace bench
