#include "steptree/scope.hpp"

#include <utility>

#include "runs.hpp"
#include "tables.hpp"
#include "tools.hpp"

struct steptree_scope {
    steptree::Scope scope;
};

/// Scopes.
namespace steptree::cabi::scopecalls {

namespace {

const steptree_error* make(steptree_tool* tool, const steptree_options* options,
                           steptree_scope** into) {
    return attempt(
        [&] { *into = new steptree_scope{Scope(tool->tool(), sharedOptions(options))}; });
}

void drop(steptree_scope* scope) {
    const Sheltered sheltered;
    delete scope;
}

const steptree_error* start(steptree_scope* scope, const steptree_definition* value,
                            const steptree_start_options* options) {
    return attempt([&] {
        StartOptions given = startOptionsOf(options);
        scope->scope.start(stepOf(value), std::move(given));
    });
}

void tellCount(const Future<std::size_t>& count, steptree_counted counted, Data data) {
    count.onSettled([counted, data = std::move(data)](auto& settled) {
        if (counted == nullptr) return;
        counted(settled.isSucceeded() ? static_cast<std::int64_t>(settled.get()) : -1, data.get());
    });
}

const steptree_error* close(steptree_scope* scope, steptree_text reason, steptree_counted counted,
                            void* data, void (*dropData)(void*)) {
    return attempt([&] {
        Data kept(data, dropData, counted);
        const Sheltered sheltered;
        tellCount(scope->scope.close(view(reason)), counted, std::move(kept));
    });
}

const steptree_error* drain(steptree_scope* scope, double ms, steptree_text reason,
                            steptree_counted counted, void* data, void (*dropData)(void*)) {
    return attempt([&] {
        Data kept(data, dropData, counted);
        const Sheltered sheltered;
        tellCount(scope->scope.drain(ms, view(reason)), counted, std::move(kept));
    });
}

std::int32_t draining(const steptree_scope* scope) {
    return scope->scope.draining() ? 1 : 0;
}
std::size_t flows(const steptree_scope* scope) {
    return scope->scope.size();
}

}  // namespace

const steptree_scope_api kApi{sizeof(kApi), 0,      &make,     &drop, &start,
                              &close,       &drain, &draining, &flows};

}  // namespace steptree::cabi::scopecalls
