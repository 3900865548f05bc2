#include "steptree/state.hpp"

#include <optional>
#include <string>

#include "functions.hpp"
#include "tables.hpp"

/// The state of a flow, and values that a program owns.
namespace steptree::cabi {

namespace statecalls {

namespace {

const steptree_error* get(steptree_state* state, steptree_text key, steptree_value* into) {
    return attempt([&] {
        static thread_local std::optional<Lent> lent;  // of what C sees in another form
        const detail::TypeDesc* type = nullptr;
        void* const there = from(state).lookUp(view(key), &type);
        *into = {};
        if (there == nullptr) return;
        lent.emplace();
        lent->lendOne(*type, there, false);
        *into = lent->values[0];
    });
}

const steptree_error* set(steptree_state* state, steptree_text key, const steptree_value* value) {
    return attempt([&] {
        State& to = from(state);
        if (isForeign(*value)) refuseForeign(*value);
        switch (value->tag) {
            case STEPTREE_BOOL:
                to.set(view(key), value->of.boolean != 0);
                return;
            case STEPTREE_INT64:
                to.set(view(key), value->of.integer);
                return;
            case STEPTREE_DOUBLE:
                to.set(view(key), value->of.number);
                return;
            case STEPTREE_STRING:
                to.set(view(key), std::string(view(value->of.text)));
                return;
            default:
                to.set(view(key), Value(*value));
        }
    });
}

std::int32_t has(steptree_state* state, steptree_text key) {
    return from(state).has(view(key)) ? 1 : 0;
}
const steptree_error* erase(steptree_state* state, steptree_text key) {
    return attempt([&] { from(state).erase(view(key)); });
}
const steptree_error* clear(steptree_state* state) {
    return attempt([&] { from(state).clear(); });
}

}  // namespace

const steptree_state_api kApi{sizeof(kApi), 0, &get, &set, &has, &erase, &clear};

}  // namespace statecalls

namespace valuecalls {

namespace {

const steptree_error* keepValue(const steptree_value* value, steptree_value* into) {
    return attempt([&] { giveTo(into, Value(*value)); });
}
void dropValue(steptree_value* value) {
    const Sheltered sheltered;
    const Value dropped = Value::adopt(std::exchange(*value, {}));
}

}  // namespace

const steptree_value_api kApi{sizeof(kApi), 0, &keepValue, &dropValue};

}  // namespace valuecalls

}  // namespace steptree::cabi
