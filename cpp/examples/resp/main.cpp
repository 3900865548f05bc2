#include <unistd.h>

#include <array>
#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/signal_set.hpp>
#include <cstdio>
#include <exception>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "options.hpp"
#include "server.hpp"
#include "steptree/asiotool.hpp"
#include "text.hpp"
#ifdef RESP_INSPECTOR
#include "steptree/inspector.hpp"
#endif

namespace resp {

namespace {

/// The end of the standard input.
class StdinEnd {
  public:
    explicit StdinEnd(asio::io_context& io) : stdin_(io, ::dup(STDIN_FILENO)) {}

    void wait(std::function<void()> ended) {
        stdin_.async_read_some(asio::buffer(ignored_), [this, ended = std::move(ended)](
                                                           asio::error_code error, std::size_t) {
            if (error) {
                ended();
            } else {
                wait(ended);
            }
        });
    }

    void close() { stdin_.close(); }

  private:
    asio::posix::stream_descriptor stdin_;
    std::array<char, 256> ignored_;
};

#ifdef RESP_INSPECTOR
using steptree::Inspector;
#else
/// Of a build that has left the component out.
struct Inspector {
    explicit Inspector(steptree::Tool& /*tool*/) {
        throw std::runtime_error("--inspect: steptree was built without its inspector");
    }
    std::string url() const { return {}; }
    void close() {}
};
#endif

void load(Server& server, const std::string& file) {
    try {
        server.plugins.load(file);
    } catch (const steptree::StepError& error) {
        throw std::runtime_error(concat({"--plugin ", error.info()}));
    }
}

/// Serves until SIGTERM, SIGINT or (asked to) the end of the standard input, then prints its
/// counters as one line of JSON.
void run(const Options& options) {
    asio::io_context io(1);
    steptree::AsioTool tool(io);
    std::optional<Inspector> inspector;
    if (options.inspect) inspector.emplace(tool.tool());
    Server server(io, tool.tool(), options.limits);
    for (const std::string& file : options.plugins) load(server, file);
    asio::signal_set signals(io, SIGTERM, SIGINT);
    StdinEnd stdinEnd(io);

    server.listen(options.port, [&](std::uint16_t port) {
        std::printf("listening on 127.0.0.1:%d\n", port);
        if (inspector) std::printf("inspector at %s\n", inspector->url().c_str());
        std::fflush(stdout);
    });
    bool stopping = false;
    const auto stop = [&] {
        if (stopping) return;
        stopping = true;
        signals.cancel();
        stdinEnd.close();
        server.stop([&] {
            if (inspector) inspector->close();
            std::printf("%s\n", server.statistics().c_str());
            std::fflush(stdout);  // a further signal may end it from now on
        });
    };
    signals.async_wait([&](asio::error_code, int) { stop(); });
    if (options.untilStdinEnds) stdinEnd.wait(stop);
    io.run();
}

}  // namespace

}  // namespace resp

int main(int argc, char** argv) {
    const resp::Options options = resp::readOptions({argv + 1, argv + argc});
    if (!options.error.empty()) {
        std::fprintf(stderr, "%s\n", options.error.c_str());
        return 2;
    }
    if (options.help) {
        std::fputs(resp::helpText().c_str(), stdout);
        return 0;
    }
    try {
        resp::run(options);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
