#pragma once

#include <asio/ip/tcp.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace resp {

using RawSocket = asio::ip::tcp::socket;

/// What happens on a socket, told from the event loop.
struct SocketEvents {
    virtual void received(std::string_view bytes) = 0;
    /// The other side has closed its direction: nothing more will come.
    virtual void left() = 0;
    /// The connection is broken in both directions.
    virtual void broken() = 0;
    /// Something that was written has been taken.
    virtual void taken() = 0;

  protected:
    ~SocketEvents() = default;
};

/// One TCP connection, as the server's steps need it.
class ByteSocket {
  public:
    explicit ByteSocket(RawSocket socket);
    ByteSocket(const ByteSocket&) = delete;
    ByteSocket& operator=(const ByteSocket&) = delete;
    ~ByteSocket() { destroy(); }

    /// Events come from now on until `destroy()`.
    void open(SocketEvents& events);

    /// Bytes that are written and not taken yet.
    std::size_t pending() const;

    void write(std::string bytes);

    /// No input comes until `resume()`.
    void pause();

    void resume();

    /// Closes the own direction once all is written.
    void shutdown();

    void destroy();

  private:
    struct Stream;

    std::shared_ptr<Stream> stream_;
};

}  // namespace resp
