#include "step.hpp"

#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>

#include "flowextras.hpp"
#include "operations.hpp"
#include "options.hpp"
#include "outcomes.hpp"
#include "signals.hpp"
#include "steptree/iflow.hpp"
#include "steptree/local.hpp"
#include "steptree/signal.hpp"
#include "tables.hpp"
#include "tools.hpp"

/// Calls on the accessor of a step.
namespace steptree::cabi::stepcalls {

namespace {

const steptree_error* success(steptree_step* asi, const steptree_value* values, std::size_t count) {
    return attempt([&] {
        IAsyncSteps& to = from(asi);
        if (count == 0) return to.success();
        Results results;
        if (count > detail::kMaxValues) {
            dropGiven(values, count);
            return to.errorNoThrow(errors::InternalError, detail::kTooManyValues);
        }
        take(values, count, results);
        to.success(std::move(results));
    });
}

const steptree_error* forward(steptree_step* asi, const steptree_args* args) {
    const auto* const lent = static_cast<const Lent*>(args->owner);
    if (lent == nullptr || lent->results() == nullptr)
        return success(asi, args->values, args->count);
    return attempt([&] {
        Results& values = *lent->results();
        if (values.seenByOthers()) {
            Results copies;
            take(args->values, args->count, copies);
            return from(asi).success(std::move(copies));
        }
        from(asi).success(std::move(values));
    });
}

const steptree_error* error(steptree_step* asi, steptree_text code, steptree_text info) {
    return attempt([&] { from(asi).errorNoThrow(view(code), view(info)); });
}

const steptree_error* errorOf(steptree_step* asi, steptree_text code, steptree_text info,
                              const steptree_error* cause) {
    if (cause == nullptr) return error(asi, code, info);
    return attempt([&] { from(asi).errorNoThrow(view(code), view(info), exceptionOf(cause)); });
}

const steptree_error* breakLoop(steptree_step* asi, steptree_text label) {
    return attempt([&] { from(asi).controlLoop(view(label), true); });
}
const steptree_error* continueLoop(steptree_step* asi, steptree_text label) {
    return attempt([&] { from(asi).controlLoop(view(label), false); });
}

/// What is returned is told in what returns it. Whether that is a body: handlers give nothing.
bool returnsFromBody(steptree_step* asi) {
    const IAsyncSteps& step = from(asi);
    const detail::Phase phase = static_cast<const detail::Step&>(step).phase;
    if (step.valid() && phase == detail::Phase::body) return true;
    if (step.valid() && phase == detail::Phase::handler) return false;
    misuse("give: no body of that step runs here");
}

const steptree_error* giveValues(steptree_step* asi, const steptree_value* values,
                                 std::size_t count) {
    return attempt([&] {
        Results results;
        take(values, count, results);
        if (returnsFromBody(asi)) from(asi).keepReturned(results);
    });
}

const steptree_error* giveAwaitable(steptree_step* asi, const steptree_awaitable* awaitable) {
    return attempt([&] {
        withOperation(awaitable, [&]<class X>(X operation) {
            static_cast<void>(returnsFromBody(asi));
            from(asi).watch(detail::AwaitCall<X>::template ops<X>, &operation);
        });
    });
}

const steptree_error* setTimeout(steptree_step* asi, double ms, steptree_text code) {
    return attempt([&] {
        if (code.data == nullptr) return from(asi).setTimeout(ms);
        from(asi).setTimeout(ms, view(code));
    });
}

const steptree_error* setCancel(steptree_step* asi, steptree_body handler, void* data,
                                void (*drop)(void*)) {
    return attempt([&] { from(asi).setCancel(CancelHandler{handler, Data(data, drop, handler)}); });
}

const steptree_error* defer(steptree_step* asi, steptree_deferred function, void* data,
                            void (*drop)(void*)) {
    return attempt([&] {
        Deferred made{function, Data(data, drop, function)};
        if (function == nullptr) misuse("defer: a function is expected");
        from(asi).defer(std::move(made));
    });
}

const steptree_error* remaining(steptree_step* asi, std::int64_t* ms) {
    return attempt([&] { *ms = from(asi).remaining(); });
}

const steptree_error* waitExternal(steptree_step* asi, steptree_completion* into) {
    return attempt([&] { *into = detached(from(asi).waitExternal()); });
}

const steptree_error* parallel(steptree_step* asi, const steptree_closure* closure,
                               steptree_text name, steptree_adder** branches) {
    return attempt([&] {
        withHandler(closure, [&](auto handler) {
            *branches = handleOf(from(asi).parallel(std::move(handler), view(name)));
        });
    });
}

std::int32_t valid(const steptree_step* asi) {
    return from(asi).valid() ? 1 : 0;
}

const steptree_error* state(steptree_step* asi, steptree_state** into) {
    return attempt([&] { *into = handleOf(from(asi).state()); });
}

/// Whose key it is, is all that a local is told apart by.
const Local<Value>& localOf(const void* key) noexcept {
    return *static_cast<const Local<Value>*>(key);
}

const steptree_error* setLocal(steptree_step* asi, const void* key, const steptree_value* value) {
    return attempt([&] { localOf(key).set(from(asi), Value(*value)); });
}

const steptree_error* getLocal(steptree_step* asi, const void* key, const steptree_value** into) {
    return attempt([&] {
        const Value* const value = localOf(key).get(from(asi));
        *into = value == nullptr ? nullptr : &value->raw();
    });
}

const steptree_error* signalOf(steptree_step* asi, steptree_signal** into) {
    return attempt([&] { *into = new steptree_signal(steptree::signal(from(asi))); });
}

const steptree_error* lastError(steptree_step* asi) {
    const StepError* const error = from(asi).state().lastError();
    return lend(LentAs::handled, error == nullptr ? nullptr : makeError(*error));
}

const steptree_error* lastThrown(steptree_step* asi) {
    std::exception_ptr thrown = from(asi).state().lastException();
    return lend(LentAs::thrown, thrown == nullptr ? nullptr : makeError(std::move(thrown)));
}

template <const steptree_error* (*call)(steptree_step*)>
const steptree_error* orNull(steptree_step* asi) noexcept {
    try {
        return call(asi);
    } catch (...) {
        return nullptr;
    }
}

const steptree_error* newFlow(steptree_step* asi, steptree_flow** into) {
    return attempt([&] { *into = cHandle(*newInstance(from(asi)).release()); });
}

const steptree_error* toolOf(steptree_step* asi, steptree_tool** into) {
    return attempt([&] {
        IAsyncSteps& step = from(asi);
        if (!step.valid()) misuse("tool: the step isn't open");
        *into = lentTool(static_cast<detail::Step&>(step).line->core()).release();
    });
}

void* flowData(const steptree_step* asi, steptree_hook report) {
    const auto& step = static_cast<const detail::Step&>(from(asi));
    const detail::FlowExtras* const extras = step.line->flow->flowExtras();
    if (extras == nullptr) return nullptr;
    const auto* const owner = std::get_deleter<OptionsOwner>(extras->options);
    return owner != nullptr && owner->report == report ? owner->data : nullptr;
}

}  // namespace

const steptree_step_api kApi{sizeof(kApi),
                             0,
                             &success,
                             &forward,
                             &error,
                             &errorOf,
                             &breakLoop,
                             &continueLoop,
                             &giveValues,
                             &giveAwaitable,
                             &setTimeout,
                             &setCancel,
                             &defer,
                             &remaining,
                             &waitExternal,
                             &parallel,
                             &valid,
                             &state,
                             &setLocal,
                             &getLocal,
                             &signalOf,
                             &orNull<&lastError>,
                             &orNull<&lastThrown>,
                             &newFlow,
                             &toolOf,
                             &flowData};

}  // namespace steptree::cabi::stepcalls
