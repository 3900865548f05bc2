#include "steptree/detail/sight.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "cancel.hpp"
#include "flowlook.hpp"
#include "ontool.hpp"
#include "steptree/tool.hpp"
#include "telling.hpp"

/// What the inspector asks of the engine.
namespace steptree::detail {

namespace {

class FlowLooks final : public Looks {
  public:
    explicit FlowLooks(ToolCore& core) : look_(core) {}

    SeenFlow at(Flow& flow) override {
        SeenFlow seen{.flow = look_.show(flow), .guards = {}};
        auto& touched = look_.touched;
        std::sort(touched.begin(), touched.end());
        touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
        for (const std::size_t number : touched) {
            GuardSnapshot& guard = look_.guards[number];
            seen.guards.push_back({&guard, std::exchange(guard.holders, {})});
        }
        return seen;
    }

    std::int64_t time() const noexcept override { return look_.time; }

  private:
    FlowLook look_;
};

class ToolSight final : public Sight {
  public:
    explicit ToolSight(ToolCore& core)
        : watch_(std::make_shared<Watch>(core, false, nullptr)), core_(core) {}

    void later(Function<void(bool)> act) override { detail::later(*core_, std::move(act)); }

    bool isHere() const noexcept override { return core_->onOwnThread() && core_->alive(); }
    bool standsStill() const noexcept override { return core_->standsStill(); }

    /// Before begin() there may be no observers, whom endListening() asks.
    void end() noexcept override {
        if (begun_)
            endListening(*watch_);
        else
            watch_->over = true;
    }

    /// The watch has the witness, and that has this, when nothing can fail any more.
    void begin(std::shared_ptr<Witness> witness) override {
        if (watch_->over) return;
        Function<void()> turnEnds([&witness = *witness] { witness.turnEnds(); });
        Function<void(const FlowEvent&)> tell(
            [witness = std::move(witness)](const FlowEvent& event) {
                witness->told(event, event.data().flow);
            });
        Observers& observers = observersIn(*core_);
        begun_ = true;
        observers.add(watch_);
        watch_->turnEnds = std::move(turnEnds);
        watch_->tell = std::move(tell);
    }

    std::int64_t now() const noexcept override { return core_->now(); }

    /// While a tool goes there is more in the list of its flows than these.
    std::vector<Flow*> flows() const override {
        std::vector<Flow*> all;
        if (core_->stopped()) return all;
        observersIn(*core_).eachRunning([&all](Flow& flow) { all.push_back(&flow); });
        return all;
    }

    std::unique_ptr<Looks> looks() const override { return std::make_unique<FlowLooks>(*core_); }

    void cancel(Flow& flow) noexcept override { requestCancel(flow, {}); }

  private:
    const std::shared_ptr<Watch> watch_;
    const CoreRef core_;
    std::atomic<bool> begun_{false};
};

}  // namespace

}  // namespace steptree::detail

namespace steptree {

std::shared_ptr<detail::Sight> Tool::sight() const {
    return std::make_shared<detail::ToolSight>(*core_);
}

}  // namespace steptree
