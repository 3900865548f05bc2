#pragma once

#include <exception>
#include <utility>

#include "options.hpp"
#include "outcomes.hpp"
#include "steptree/future.hpp"
#include "steptree/run.hpp"

/// How runs of flows are told of.
namespace steptree::cabi {

/// What a promise of a flow settles with, to who is told of outcomes.
inline void tellSettled(Future<Results>& settled, const Done& done) {
    Outcome outcome;
    if (settled.isSucceeded()) {
        outcome.values = std::move(settled).get();
    } else {
        outcome.kind = OutcomeKind::error;
        outcome.error = settled.error();
        const steptree_error error(outcome.error);
        outcome.code = error.step ? error.step->code() : error.code;
        outcome.reason = error.step ? error.step->info() : error.info;
    }
    done(outcome);
}

inline void tellWhenSettled(const Future<Results>& future, Done done) {
    future.onSettled(
        [done = std::move(done)](Future<Results>& settled) { tellSettled(settled, done); });
}

inline RunOptions runOptionsOf(const steptree_start_options& given) {
    return {tokenOf(given.signal), sharedOptions(given.options)};
}

inline StartOptions startOptionsOf(const steptree_start_options* from) {
    const Given<steptree_start_options> given(from);
    StartOptions options;
    if (given->done != nullptr) options.done = Done(*given->done);
    options.signal = tokenOf(given->signal);
    options.options = sharedOptions(given->options);
    given.check();
    return options;
}

/// Starts a value in what has `start` and `run`.
template <class Start, class Run>
void startValue(const steptree_start_options* given, Start start, Run run) {
    if (given == nullptr || given->as_promise == 0) return start(startOptionsOf(given));
    RunOptions options = runOptionsOf(*given);
    if (given->done == nullptr) misuse("start: a promise expects `done`");
    Done done(*given->done);
    tellWhenSettled(run(std::move(options)), std::move(done));
}

}  // namespace steptree::cabi
