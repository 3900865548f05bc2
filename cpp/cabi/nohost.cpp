#include "errors.hpp"
#include "functions.hpp"
#include "steptree/codes.hpp"
#include "tables.hpp"

/// Hosts of plug-ins where there are none: shared objects aren't of ELF.
namespace steptree::cabi::hostcalls {

namespace {

/// Any of the calls.
template <class... Args>
const steptree_error* refuse(Args...) {
    return attempt([] {
        throw StepError(errors::NotImplemented, "plug-ins are loaded where there is ELF alone");
    });
}

void drop(steptree_plugin_host*) {}

}  // namespace

const steptree_error* addService(steptree_adder* to, steptree_plugin_host* host, steptree_text name,
                                 const steptree_value* values, std::size_t count,
                                 const steptree_closure* closure) {
    const steptree_error* dropped = attempt([&] { withHandler(closure, [](auto) {}); });
    return dropped != nullptr ? dropped : refuse(to, host, name, values, count);
}

const steptree_host_api kApi{sizeof(kApi), 0,       &refuse, &drop,   &refuse, &refuse,
                             &refuse,      &refuse, &refuse, &refuse, &refuse};

}  // namespace steptree::cabi::hostcalls
