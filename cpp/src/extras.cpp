#include "extras.hpp"

#include "awaited.hpp"
#include "cleanup.hpp"
#include "coroutine.hpp"
#include "local.hpp"
#include "path.hpp"

namespace steptree::detail {

void destroyExtra(Extra& extra, Step* told) noexcept {
    switch (extra.type) {
        case Extra::timer: {
            auto& timer = static_cast<TimerExtra&>(extra);
            return disarmDeadline(*timer.step->line, timer);
        }
        case Extra::cancel: {
            auto& cancel = static_cast<CancelExtra&>(extra);
            return destroyClosure(told, *cancel.ops, cancel.closure());
        }
        case Extra::signal:
            return static_cast<SignalExtra&>(extra).source.~stop_source();
        case Extra::stack: {
            auto& stack = static_cast<StackExtra&>(extra);
            return callDestructor(told, stack.destroy, stack.object);
        }
        case Extra::wait: {
            auto& wait = static_cast<WaitExtra&>(extra);
            return wait.ops->destroy(wait);
        }
        case Extra::await: {
            auto& await = static_cast<AwaitExtra&>(extra);
            releaseAwaited(await);
            if (await.owned) destroyClosure(told, *await.ops, await.closure);
            return;
        }
        case Extra::values:
            return static_cast<ValuesExtra&>(extra).values.~Results();
        case Extra::shelter:
            return destroyShelter(static_cast<Shelter&>(extra));
        case Extra::path:
            return destroyPath(extra);
        case Extra::coroutine:
            return destroyFrame(extra);
        case Extra::code:
            return;
        case Extra::local:
            return destroyLocal(static_cast<LocalExtra&>(extra));
    }
}

}  // namespace steptree::detail
