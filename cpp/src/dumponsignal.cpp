#include "steptree/dumponsignal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "misuse.hpp"
#include "steptree/promise.hpp"
#include "steptree/snapshottext.hpp"

/// A signal interrupts any thread, anywhere: all that its handler does is to write one byte into a
/// pipe. A thread of its own reads that, and asks the tools that listen for a snapshot, which comes
/// on their threads. Handlers, pipe and thread are the process's, as signals are; the pipe stays.
namespace steptree {

/// Who listens to one signal.
struct SignalDump::Entry {
    Tool* tool;
    std::shared_ptr<DumpOptions> options;

    int signal() const noexcept { return options->signal; }

    /// Short of memory there is no dump.
    void ask() const noexcept try {
        const auto write = [options = options](const Future<Snapshot>& taken) {
            if (!taken.isSucceeded()) return;
            const std::string text = snapshotText(taken.get(), {.max = options->max}) + '\n';
            if (options->write)
                options->write(text);
            else
                std::fwrite(text.data(), 1, text.size(), stderr);
        };
        tool->snapshotSoon({.locate = options->locate}).onSettled(write);
    } catch (...) {
        return;
    }
};

namespace {

std::atomic<int> writeEnd{-1};

/// A full pipe: there are dumps to come anyway. 0 ends the thread.
void tell(int signal) noexcept {
    const auto byte = static_cast<unsigned char>(signal);
    [[maybe_unused]] const auto written = ::write(writeEnd.load(), &byte, 1);
}

extern "C" void steptreeDumpSignal(int signal) {
    const int before = errno;
    tell(signal);
    errno = before;
}

}  // namespace

class SignalDump::Listener {
  public:
    /// Never destroyed: a dump may be as static as this.
    static Listener& ofProcess() {
        static auto* const listener = new Listener;
        return *listener;
    }

    /// A signal that can't be taken, and a thread that can't be had, leave nothing.
    void add(const Entry& entry) {
        const int signal = entry.signal();
        const std::lock_guard locked(mutex_);
        open();
        if (count(signal) == 0) take(signal);
        try {
            entries_.push_back(&entry);
            if (!thread_.joinable()) thread_ = std::thread([this] { read(); });
        } catch (...) {
            std::erase(entries_, &entry);
            giveBack(signal);
            throw;
        }
    }

    /// Nobody asks for that entry when it returns. With the last one the thread ends.
    void remove(const Entry& entry) noexcept {
        const int signal = entry.signal();
        std::thread ended;
        {
            const std::lock_guard locked(mutex_);
            std::erase(entries_, &entry);
            giveBack(signal);
            if (entries_.empty()) ended = std::move(thread_);
        }
        if (!ended.joinable()) return;
        tell(0);
        ended.join();
    }

  private:
    std::ptrdiff_t count(int signal) const noexcept {
        return std::count_if(entries_.begin(), entries_.end(),
                             [&](const Entry* each) { return each->signal() == signal; });
    }

    void take(int signal) {
        struct sigaction action {};
        action.sa_handler = steptreeDumpSignal;
        action.sa_flags = SA_RESTART;
        if (::sigaction(signal, &action, &before_.at(static_cast<std::size_t>(signal))) != 0)
            detail::misuse("dumpOnSignal: the signal can't be taken");
    }

    /// If nobody listens to it any more.
    void giveBack(int signal) noexcept {
        if (count(signal) == 0)
            ::sigaction(signal, &before_.at(static_cast<std::size_t>(signal)), nullptr);
    }

    /// The pipe stays: a handler may still write.
    void open() {
        if (writeEnd.load() >= 0) return;
        std::array<int, 2> ends{};
        if (::pipe(ends.data()) != 0) detail::misuse("dumpOnSignal: there is no pipe to be had");
        for (const int end : ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
        ::fcntl(ends[1], F_SETFL, O_NONBLOCK);
        readEnd_ = ends[0];
        writeEnd = ends[1];
    }

    void read() {
        for (unsigned char signal = 0;;) {
            const auto got = ::read(readEnd_, &signal, 1);
            if (got < 0 && errno == EINTR) continue;
            if (got != 1 || signal == 0) return;
            const std::lock_guard locked(mutex_);
            for (const Entry* const each : entries_)
                if (each->signal() == signal) each->ask();
        }
    }

    std::mutex mutex_;
    std::thread thread_;
    int readEnd_ = -1;
    std::vector<const Entry*> entries_;
    /// What the process did at a signal before.
    std::array<struct sigaction, NSIG> before_{};
};

SignalDump::SignalDump(std::unique_ptr<Entry> entry) noexcept : entry_(std::move(entry)) {}
SignalDump::SignalDump(SignalDump&& other) noexcept = default;
SignalDump& SignalDump::operator=(SignalDump&& other) noexcept {
    if (this == &other) return *this;
    cancel();
    entry_ = std::move(other.entry_);
    return *this;
}
SignalDump::~SignalDump() {
    cancel();
}

void SignalDump::cancel() noexcept {
    if (entry_ == nullptr) return;
    Listener::ofProcess().remove(*entry_);
    entry_.reset();
}

SignalDump dumpOnSignal(Tool& tool, DumpOptions options) {
    const int signal = options.signal;
    if (signal <= 0 || signal >= NSIG) detail::misuse("dumpOnSignal: expected a signal");
    auto entry = std::make_unique<SignalDump::Entry>(
        SignalDump::Entry{&tool, std::make_shared<DumpOptions>(std::move(options))});
    SignalDump::Listener::ofProcess().add(*entry);
    return SignalDump(std::move(entry));
}

}  // namespace steptree
