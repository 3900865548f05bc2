// A plug-in whose code throws, of types that only it knows.
#include <cerrno>
#include <stdexcept>
#include <steptree/plugin.hpp>
#include <system_error>

using namespace steptree::plugin;

namespace {

struct Own : std::runtime_error {
    using runtime_error::runtime_error;
};

Error fromHandler(Step, Args) {
    throw Own("thrown by a handler");
}

Error fromBody(Step asi, Args) {
    return asi.add(
        [](Step) { throw std::system_error(ECONNREFUSED, std::generic_category(), "backend"); });
}

Error whatIsNone(Step asi, Args) {
    return asi.add([](Step) { throw 7; });
}

Error fromRound(Step asi, Args) {
    return asi.repeat(3, [](Step, Args round) {
        if (round.integer(0) == 1) throw Own("thrown by a round");
    });
}

}  // namespace

STEPTREE_PLUGIN("throwing", "1", handler<&fromHandler>("fromHandler", 0, 0, ""),
                handler<&fromBody>("fromBody", 0, 0, ""),
                handler<&whatIsNone>("whatIsNone", 0, 0, ""),
                handler<&fromRound>("fromRound", 0, 0, ""))
