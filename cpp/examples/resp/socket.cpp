#include "socket.hpp"

#include <array>
#include <asio/buffer.hpp>
#include <asio/error.hpp>
#include <asio/write.hpp>
#include <utility>

namespace resp {

namespace {

constexpr std::size_t chunkBytes = 16 * 1024;

}  // namespace

/// Operations that are under way keep it; once `events` is null they tell nobody.
struct ByteSocket::Stream : std::enable_shared_from_this<Stream> {
    explicit Stream(RawSocket raw) : socket(std::move(raw)) {}

    void read() {
        if (reading || paused || ended || !events) return;
        reading = true;
        socket.async_read_some(asio::buffer(chunk),
                               [self = shared_from_this()](asio::error_code error, std::size_t n) {
                                   self->reading = false;
                                   self->haveRead(error, n);
                               });
    }

    void haveRead(asio::error_code error, std::size_t count) {
        if (!events) return;
        if (!error) {
            events->received({chunk.data(), count});
            read();
        } else if (error == asio::error::eof) {
            ended = true;
            events->left();
        } else {
            events->broken();
        }
    }

    void write() {
        if (!writing.empty() || !events) return;
        if (waiting.empty()) {
            asio::error_code ignored;
            if (closing) socket.shutdown(RawSocket::shutdown_send, ignored);
            return;
        }
        writing = std::exchange(waiting, {});
        asio::async_write(socket, asio::buffer(writing),
                          [self = shared_from_this()](asio::error_code error, std::size_t) {
                              self->writing = std::string();
                              self->haveWritten(error);
                          });
    }

    void haveWritten(asio::error_code error) {
        if (!events) return;
        if (error) {
            events->broken();
            return;
        }
        write();
        events->taken();
    }

    RawSocket socket;
    SocketEvents* events = nullptr;
    bool reading = false;
    bool paused = false;
    bool ended = false;
    bool closing = false;
    std::array<char, chunkBytes> chunk;
    std::string writing;
    std::string waiting;
};

ByteSocket::ByteSocket(RawSocket socket) : stream_(std::make_shared<Stream>(std::move(socket))) {
    asio::error_code ignored;
    stream_->socket.set_option(asio::ip::tcp::no_delay(true), ignored);
}

void ByteSocket::open(SocketEvents& events) {
    stream_->events = &events;
    stream_->read();
}

std::size_t ByteSocket::pending() const {
    return stream_->writing.size() + stream_->waiting.size();
}

void ByteSocket::write(std::string bytes) {
    if (stream_->waiting.empty()) {
        stream_->waiting = std::move(bytes);
    } else {
        stream_->waiting += bytes;
    }
    stream_->write();
}

void ByteSocket::pause() {
    stream_->paused = true;
}

void ByteSocket::resume() {
    stream_->paused = false;
    stream_->read();
}

void ByteSocket::shutdown() {
    stream_->closing = true;
    stream_->write();
}

void ByteSocket::destroy() {
    stream_->events = nullptr;
    asio::error_code ignored;
    stream_->socket.close(ignored);
}

}  // namespace resp
