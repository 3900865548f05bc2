#include "signals.hpp"

#include <string>
#include <utility>

#include "actions.hpp"
#include "steptree/signal.hpp"

namespace conformance {

void listen(World& world, const Context& context, const Json& action) {
    const auto name = action["signal"].get<std::string>();
    std::stop_token token = signal(*context.asi);
    const Quiet quiet;
    Signal& known = world.signals[name];
    if (known.token == token) return;
    known.token = token;
    if (token.stop_requested()) return;  // AbortSignal tells nobody any more
    world.listeners.push_back(
        std::make_unique<Listener>(std::move(token), [&world, name, &actions = part(action, "do")] {
            world.log(name, " aborted");
            external(world, actions);
        }));
}

void abort(World& world, const Context&, const Json& action) {
    world.signal(action["abort"].get<std::string>()).source.request_stop();
}

void logAborted(World& world, const Context&, const Json& action) {
    const auto name = action["aborted"].get<std::string>();
    const bool aborted = world.signal(name).token.stop_requested();
    world.log(name, (aborted ? " aborted=true" : " aborted=false"));
}

}  // namespace conformance
