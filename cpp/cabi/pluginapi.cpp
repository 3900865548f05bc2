#include "pluginapi.hpp"

#include "operations.hpp"
#include "tables.hpp"

namespace steptree::cabi {

const Local<Code*>& ofPlugin() noexcept {
    static const Local<Code*> local("plug-in");
    return local;
}

namespace {

/// Not as bytes: what is kept so holds nothing.
const steptree_error* heldStep(steptree_adder* to, const steptree_closure* closure) {
    return addcalls::kApi.named_step(to, closure, {});
}

const steptree_error* heldWait(steptree_step* asi, steptree_completion* into) {
    return attempt([&] {
        Code* const* const code = ofPlugin().get(from(asi));
        *into = detachedTo(code == nullptr ? nullptr : *code, from(asi).waitExternal());
    });
}

template <class Ref>
Right<Ref> keepHeld(Right<Ref> of) {
    countCopy(of.slot, of.generation);
    return keepRef<Ref>(of);
}

template <class Ref>
void dropHeld(Right<Ref> of) {
    dropRef<Ref>(of);
    uncountCopy(of.slot, of.generation);
}

steptree_add_api heldAdd() noexcept {
    steptree_add_api api = addcalls::kApi;
    api.step = &heldStep;
    return api;
}

steptree_step_api heldSteps() noexcept {
    steptree_step_api api = stepcalls::kApi;
    api.wait_external = &heldWait;
    return api;
}

steptree_completion_api heldCompletions() noexcept {
    steptree_completion_api api = completioncalls::kApi;
    api.keep = &keepHeld<Completion>;
    api.drop = &dropHeld<Completion>;
    return api;
}

steptree_awaiter_api heldAwaiters() noexcept {
    steptree_awaiter_api api = awaitercalls::kApi;
    api.keep = &keepHeld<Awaiter>;
    api.drop = &dropHeld<Awaiter>;
    return api;
}

}  // namespace

const steptree_api* pluginApi() noexcept {
    static const steptree_add_api add = heldAdd();
    static const steptree_step_api step = heldSteps();
    static const steptree_completion_api completion = heldCompletions();
    static const steptree_awaiter_api awaiter = heldAwaiters();
    static const steptree_api api = [] {
        steptree_api of = *steptree_host(STEPTREE_ABI, nullptr);
        of.add = &add;
        of.step = &step;
        of.completion = &completion;
        of.awaiter = &awaiter;
        return of;
    }();
    return &api;
}

}  // namespace steptree::cabi
