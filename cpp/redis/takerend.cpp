#include <utility>

#include "misuse.hpp"
#include "ontool.hpp"
#include "taker.hpp"

/// How it ends.
namespace steptree::detail::redis {

namespace {

constexpr std::chrono::milliseconds kEndLimit{1000};

}  // namespace

void Taker::end() noexcept {
    const auto self = shared_from_this();
    if (mustNotWait(*core_)) {
        later(*core_, [self](bool) { self->leave(); });
    } else {
        waitFor(*core_, [&self] { self->leave(); });
    }
}

/// Each scope before those that its flows use.
void Taker::leave() noexcept {
    isGone_ = true;
    for (auto* const scope : {&ending_, &own_, &work_, &telling_}) scope->reset();
    for (const auto& source : sources_) source->endListening();
}

Future<std::size_t> Taker::drain(std::int64_t ms) {
    if (ms < 0) misuse("drain: expected a time of at least 0 ms");
    std::exception_ptr thrown;
    onTool(*core_, "drain", [&] {
        try {
            if (drained_) return;
            drained_ = ending_->run(step<Values<>, Values<std::size_t>>(
                [this, ms](IAsyncSteps& asi) { ends(asi, ms); }));
        } catch (...) {
            thrown = std::current_exception();
        }
    });
    if (thrown != nullptr) std::rethrow_exception(thrown);
    return *drained_;
}

void Taker::ends(IAsyncSteps& asi, std::int64_t ms) {
    drains_ = true;
    waker_->gate.open();
    ends_.open();
    goesOn(step([this](IAsyncSteps& leaving) {  // from now on others are told in its place
        for (const auto& source : sources_) source->leave(leaving, true);
    }));
    waits(asi, empty_, ms);
    asi.add([this](IAsyncSteps& stopping) {
        for (const auto& source : sources_) {
            for (const Held& work :
                 std::vector<Held>(source->held().begin(), source->held().end())) {
                work->stop(End::drained);
            }
        }
        // While Redis doesn't answer, it is left when leases end.
        waits(stopping, empty_, limits_.lease.count());
    });
    for (const auto& each : sources_) {
        asi.add(
            [source = each.get()](IAsyncSteps& leaving) {
                leaving.setTimeout(kEndLimit);
                source->end(leaving);
            },
            [this](IAsyncSteps& failed, const std::string&) {
                report(failed);
                failed.success();
            });
    }
    for (Scope* const scope : {&*work_, &*telling_, &*own_}) {
        asi.add([scope](IAsyncSteps& closing) { closing.await(scope->close()); });
    }
    asi.add([this](IAsyncSteps&) { return cut_; });
}

}  // namespace steptree::detail::redis
