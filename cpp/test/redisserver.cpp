#include "redisserver.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <thread>

namespace rig {

namespace {

sockaddr_in address(std::uint16_t port) {
    sockaddr_in made{};
    made.sin_family = AF_INET;
    made.sin_port = htons(port);
    made.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return made;
}

/// One that is free at the moment.
std::uint16_t freePort() {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in at = address(0);
    socklen_t size = sizeof at;
    const bool bound = bind(fd, reinterpret_cast<sockaddr*>(&at), size) == 0 &&
                       getsockname(fd, reinterpret_cast<sockaddr*>(&at), &size) == 0;
    close(fd);
    if (!bound) throw std::runtime_error("no port is free");
    return ntohs(at.sin_port);
}

bool accepts(std::uint16_t port) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in at = address(port);
    const bool is = connect(fd, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0;
    close(fd);
    return is;
}

}  // namespace

RedisServer::RedisServer(std::vector<std::string> options)
    : options_(std::move(options)), port_(freePort()) {
    std::string name = (std::filesystem::temp_directory_path() / "steptree-redis-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for redis-server");
    folder_ = name;
    start();
}

RedisServer::~RedisServer() {
    kill();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

void RedisServer::start() {
    std::vector<std::string> words{"redis-server",
                                   "--port",
                                   std::to_string(port_),
                                   "--bind",
                                   "127.0.0.1",
                                   "--dir",
                                   folder_,
                                   "--unixsocket",
                                   socket(),
                                   "--save",
                                   "",
                                   "--logfile",
                                   "log"};
    words.insert(words.end(), options_.begin(), options_.end());
    std::vector<char*> args;
    for (std::string& word : words) args.push_back(word.data());
    args.push_back(nullptr);
    child_ = fork();
    if (child_ == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execvp(args[0], args.data());
        _exit(127);
    }
    while (!accepts(port_)) {
        int status = 0;
        if (waitpid(child_, &status, WNOHANG) == child_) {
            child_ = -1;
            throw std::runtime_error("redis-server has ended: is it installed? (tools/setup test)");
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

void RedisServer::kill() {
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    child_ = -1;
}

void RedisServer::signal(int number) {
    ::kill(child_, number);
}

}  // namespace rig
