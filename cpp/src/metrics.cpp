#include "steptree/metrics.hpp"

#include <functional>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "flowlook.hpp"
#include "ontool.hpp"
#include "passing.hpp"
#include "steptree/clock.hpp"
#include "telling.hpp"

/// Figures of a tool, for who asks now and then: sums of what its events tell.
///
/// The clock is the real one, also of a VirtualTool: what is measured is the time of the program.
/// How long others wait is known at the end of a pass, where they get the thread. Who idles has no
/// pass, and the tool's own queue is left alone.
namespace steptree {

namespace detail {

namespace {

std::int64_t realTime() noexcept {
    return Clock::steady().nanoseconds();
}

double millisecondsOf(std::int64_t ns) noexcept {
    return static_cast<double>(ns) / 1e6;
}

}  // namespace

/// Its tool's thread only, but for `over`.
struct Figures final : Sink {
    explicit Figures(ToolCore& core) : Sink(core, false) {}

    /// Those that run then.
    void beginWith(std::size_t flows) noexcept { sums_.alive = flows; }
    MetricsRead read();

    void note(const EventData& event) noexcept override;
    void turned() noexcept override {
        if (turn_.began != 0) turn_.end();
    }
    void passed() noexcept override {
        if (lag_.began == 0) return;
        lag_.end();
        ++sums_.lag.count;
    }

  private:
    static constexpr std::size_t kMostCodes = 1000;

    /// In nanoseconds.
    struct Times {
        std::int64_t began = 0;  // 0: nothing is measured now
        std::int64_t sum = 0;
        std::int64_t max = 0;

        void end() noexcept {
            const std::int64_t time = realTime() - std::exchange(began, 0);
            sum += time;
            if (time > max) max = time;
        }
    };

    void turnBegins() noexcept;
    void endFlow(std::string_view outcome) noexcept;
    void seen(const Step* step, std::string_view code) noexcept;
    void closed(const EventData& event) noexcept;
    void countError(std::string_view code) noexcept;

    MetricsRead sums_;  // without what follows
    std::map<std::string, std::uint64_t, std::less<>> errors_;
    std::uint64_t others_ = 0;  // errors with further codes
    Passing passing_;           // codes, as their hashes
    Times turn_;
    Times lag_;  // from the first turn of the pass on
};

void Figures::note(const EventData& event) noexcept {
    switch (event.what) {
        case What::begun:
            ++sums_.begun;
            ++sums_.alive;
            return;
        case What::turn:
            return turnBegins();
        case What::opened:
            ++sums_.opened;
            return;
        case What::handler:
            return seen(event.told(), event.code);
        case What::closed:
            return closed(event);
        case What::ended:
            return endFlow(event.outcome);
        default:
            return;
    }
}

void Figures::turnBegins() noexcept {
    ++sums_.turns;
    turn_.began = realTime();
    if (lag_.began == 0) lag_.began = turn_.began;
}

void Figures::endFlow(std::string_view outcome) noexcept {
    MetricsRead::Ended& ended = sums_.ended;
    ++(outcome == "ok" ? ended.ok : outcome == "error" ? ended.error : ended.cancelled);
    --sums_.alive;
}

/// The step has an error now.
void Figures::seen(const Step* step, std::string_view code) noexcept {
    if (passing_.note(step, std::hash<std::string_view>()(code))) countError(code);
}

void Figures::closed(const EventData& event) noexcept {
    const Step* const step = event.told();
    if (event.outcome == std::string_view("error")) {
        seen(step, event.code);
        const Step* const around = event.around();
        if (around != nullptr) passing_.note(around, std::hash<std::string_view>()(event.code));
    }
    passing_.drop(step);
}

/// Short of memory a new code is one of the others.
void Figures::countError(std::string_view code) noexcept {
    const auto found = errors_.find(code);
    if (found != errors_.end()) {
        ++found->second;
        return;
    }
    try {
        if (errors_.size() < kMostCodes) {
            errors_.emplace(code, 1);
            return;
        }
    } catch (const std::bad_alloc&) {
    }
    ++others_;
}

MetricsRead Figures::read() {
    MetricsRead figures = sums_;
    figures.errors.insert(errors_.begin(), errors_.end());
    if (others_ > 0) figures.errors["other"] += others_;
    figures.turn = {millisecondsOf(turn_.sum), millisecondsOf(turn_.max)};
    figures.lag.sum = millisecondsOf(lag_.sum);
    figures.lag.max = millisecondsOf(lag_.max);
    if (core->alive()) {
        Snapshot shown = snapshotOf(*core);
        for (GuardSnapshot& guard : shown.guards) {
            figures.guards.push_back({std::move(guard.kind), std::move(guard.name), guard.waiting,
                                      guard.active, guard.available});
        }
    } else {
        figures.alive = 0;
    }
    turn_.max = lag_.max = 0;
    return figures;
}

}  // namespace detail

Metrics::Metrics(Tool& tool) {
    detail::ToolCore& core = tool.core();
    detail::checkThread(core, "Metrics");
    auto figures = std::make_shared<detail::Figures>(core);
    detail::Observers& observers = detail::observersIn(core);
    observers.add(figures);
    std::size_t running = 0;
    observers.eachRunning([&running](const detail::Flow&) { ++running; });
    figures->beginWith(running);
    figures_ = std::move(figures);
}

Metrics::Metrics(Metrics&& other) noexcept = default;
Metrics& Metrics::operator=(Metrics&& other) noexcept {
    Metrics taken(std::move(other));
    std::swap(figures_, taken.figures_);  // what was here ends
    return *this;
}
Metrics::~Metrics() {
    cancel();
}

/// One that was moved away has none.
MetricsRead Metrics::read() {
    if (figures_ == nullptr) return {};
    const detail::ToolCore& core = *figures_->core;
    if (core.alive()) detail::checkThread(*figures_->core, "read");
    return figures_->read();
}

void Metrics::cancel() noexcept {
    if (figures_ != nullptr) detail::endListening(*figures_);
}

bool Metrics::valid() const noexcept {
    return figures_ != nullptr && !figures_->over;
}

}  // namespace steptree
