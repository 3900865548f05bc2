// A plug-in in C++: commands that wait. A thread of its own ends the waits.
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <steptree/plugin.hpp>
#include <string>
#include <string_view>
#include <thread>

using namespace steptree::plugin;

#ifndef VERSION
#define VERSION "1.0.0"
#endif

namespace {

using Clock = std::chrono::steady_clock;

/// A year.
constexpr std::int64_t longestMs = 365LL * 24 * 3600 * 1000;

/// The waits, by the time at which they end, and the thread that ends them.
class Ticker {
  public:
    struct Place {
        Clock::time_point at;
        std::uint64_t number;
        bool operator<(const Place& other) const {
            return at != other.at ? at < other.at : number < other.number;
        }
    };

    Ticker() = default;
    Ticker(const Ticker&) = delete;
    Ticker& operator=(const Ticker&) = delete;
    ~Ticker() {
        {
            const std::lock_guard<std::mutex> locked(mutex_);
            stopping_ = true;
            changed_.notify_one();
        }
        if (thread_.joinable()) thread_.join();
    }

    Place enter(std::int64_t ms, const Completion& ends) {
        const std::lock_guard<std::mutex> locked(mutex_);
        if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
        const Place place{Clock::now() + std::chrono::milliseconds(ms), ++last_};
        waits_.emplace(place, Wait{ms, ends});
        changed_.notify_one();
        return place;
    }

    void leave(const Place& place) {
        const std::lock_guard<std::mutex> locked(mutex_);
        waits_.erase(place);
    }

    std::size_t size() {
        const std::lock_guard<std::mutex> locked(mutex_);
        return waits_.size();
    }

  private:
    struct Wait {
        std::int64_t ms;
        Completion ends;
    };

    void run() {
        std::unique_lock<std::mutex> locked(mutex_);
        while (!stopping_) {
            const auto first = waits_.begin();
            if (first == waits_.end()) {
                changed_.wait(locked);
            } else if (Clock::now() < first->first.at) {
                changed_.wait_until(locked, Clock::time_point(first->first.at));
            } else {
                const Wait due = first->second;
                waits_.erase(first);
                // What the host does of it takes no lock of ours.
                locked.unlock();
                due.ends.success(due.ms);
                locked.lock();
            }
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<Place, Wait> waits_;
    std::uint64_t last_ = 0;
    bool stopping_ = false;
    std::thread thread_;
};

/// Not destroyed with the process, which may end while clients wait, but when the plug-in is
/// stopped.
Ticker* const ticker = new Ticker;

/// -1: it's no number.
std::int64_t numberOf(std::string_view text) {
    if (text.empty() || text.size() > 12) return -1;
    std::int64_t number = 0;
    for (const char digit : text) {
        if (digit < '0' || digit > '9') return -1;
        number = 10 * number + (digit - '0');
    }
    return number;
}

Error tick(Step asi, Args args) {
    const std::int64_t ms = numberOf(args.at(0).bytes());
    if (ms < 0 || ms > longestMs)
        return asi.error("ERR", "value is not an integer or out of range");
    Completion ends;
    if (const Error error = asi.wait(ends)) return error;
    const Ticker::Place place = ticker->enter(ms, ends);
    // A deadline of the server's, or a client who has gone: nobody waits any more.
    return asi.setCancel([place](Step) { ticker->leave(place); });
}

Error left(Step asi) {
    std::int64_t ms = 0;
    if (const Error error = asi.remaining(ms)) return error;
    return asi.success(ms);
}

Error open(Step asi) {
    return asi.success(ticker->size());
}

Error version(Step asi) {
    return asi.success(VERSION);
}

void stop() {
    delete ticker;
}

}  // namespace

STEPTREE_PLUGIN_STOPPED_BY(stop, "wait", VERSION,
                           handler<&tick>("tick", 1, 1,
                                          "waits so many milliseconds, and says how many"),
                           handler<&left>("left", 0, 0,
                                          "how many milliseconds the server leaves to a command"),
                           handler<&open>("open", 0, 0, "how many clients wait"),
                           handler<&version>("version", 0, 0, "which wait this is"))
