#include <memory>
#include <utility>

#include "operations.hpp"
#include "runs.hpp"
#include "snapshots.hpp"
#include "steptree/asyncsteps.hpp"
#include "steptree/snapshottext.hpp"
#include "tables.hpp"
#include "tools.hpp"

/// Flows.
namespace steptree::cabi::flowcalls {

namespace {

const steptree_error* make(steptree_tool* tool, const steptree_options* options,
                           steptree_flow** into) {
    return attempt([&] {
        auto made = std::make_unique<AsyncSteps>(tool->tool(), optionsOf(options));
        *into = cHandle(static_cast<IFlow&>(*made.release()));
    });
}

void drop(steptree_flow* flow) {
    const Sheltered sheltered;
    if (flow != nullptr) delete &from(flow);
}

const steptree_error* execute(steptree_flow* flow, const steptree_done* done,
                              steptree_signal* signal) {
    return attempt([&] {
        IFlow& of = from(flow);
        if (done == nullptr) return signal == nullptr ? of.execute() : of.execute(signal->token);
        Done told(*done);
        if (signal == nullptr) return of.execute(std::move(told));
        of.execute(std::move(told), signal->token);
    });
}

const steptree_error* cancel(steptree_flow* flow, steptree_text reason) {
    return attempt([&] {
        const Sheltered sheltered;
        from(flow).cancel(view(reason));
    });
}

std::int32_t running(const steptree_flow* flow) {
    return from(flow).running() ? 1 : 0;
}

const steptree_error* closed(steptree_flow* flow, const steptree_callback* callback) {
    return attempt([&] {
        Data data(callback->data, callback->drop, callback->call);
        from(flow).closed().onSettled([call = callback->call, data = std::move(data)](auto&) {
            if (call != nullptr) call(data.get());
        });
    });
}

const steptree_error* parallel(steptree_flow* flow, const steptree_closure* closure,
                               steptree_text name, steptree_adder** branches) {
    return attempt([&] {
        withHandler(closure, [&](auto handler) {
            *branches = handleOf(from(flow).parallel(std::move(handler), view(name)));
        });
    });
}

const steptree_error* state(steptree_flow* flow, steptree_state** into) {
    return attempt([&] { *into = handleOf(from(flow).state()); });
}

const steptree_error* snapshot(steptree_flow* flow, steptree_value* into) {
    return attempt([&] { giveTo(into, valueOf(from(flow).snapshot())); });
}

const steptree_error* textOfSnapshot(steptree_flow* flow, std::size_t max, steptree_value* into) {
    return attempt([&] {
        giveTo(into, Value(std::string_view(snapshotText(from(flow).snapshot(), {.max = max}))));
    });
}

const steptree_error* canceller(steptree_flow* flow, steptree_canceller* into) {
    return attempt([&] { *into = detached(from(flow).canceller()); });
}

}  // namespace

const steptree_flow_api kApi{sizeof(kApi), 0,          &make,          &drop,     &execute,
                             &cancel,      &running,   &closed,        &parallel, &state,
                             &snapshot,    &canceller, &textOfSnapshot};

}  // namespace steptree::cabi::flowcalls
