#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace rig {

/// Waits till it is so.
template <class Is>
void until(Is is) {
    while (!is()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

/// A real redis-server for tests, on a port and in a folder of its own.
class RedisServer {
  public:
    /// Options are those of the program: {"--requirepass", "secret"}. It answers when it's made.
    explicit RedisServer(std::vector<std::string> options = {});
    RedisServer(const RedisServer&) = delete;
    RedisServer& operator=(const RedisServer&) = delete;
    ~RedisServer();

    std::uint16_t port() const noexcept { return port_; }
    std::string socket() const { return folder_ + "/redis.sock"; }
    /// As a machine that fails. start() brings it back, empty.
    void kill();
    void start();
    /// SIGSTOP: it doesn't answer till SIGCONT.
    void signal(int number);

  private:
    std::vector<std::string> options_;
    std::uint16_t port_;
    std::string folder_;
    pid_t child_ = -1;
};

}  // namespace rig
