#include "services.hpp"

#include <cstddef>
#include <string>
#include <variant>

#include "errors.hpp"
#include "pluginreply.hpp"
#include "steptree/cvalue.hpp"
#include "steptree/steps.hpp"

namespace resp {

using steptree::AnyValues;
using steptree::IAsyncSteps;
using steptree::Results;

namespace {

/// A string or bytes.
std::string textAt(const Results& values, std::size_t i) {
    if (values.holds<std::string>(i)) return values.at<std::string>(i);
    return std::string(values.at<steptree::Value>(i).text());
}

}  // namespace

void offerKeys(steptree::PluginHost& plugins, Store& store) {
    const auto get = [&store](IAsyncSteps& asi, const Results& values) {
        const Value* const value = store.find(textAt(values, 0));
        if (value == nullptr) return asi.success(steptree::Value());
        const auto* const text = std::get_if<std::string>(value);
        if (text == nullptr) wrongType(asi);
        asi.success(bytesOf(*text));
    };
    const auto set = [&store](IAsyncSteps&, const Results& values) {
        store.put(textAt(values, 0), textAt(values, 1));
    };
    plugins.offer("keys.get", steptree::step<AnyValues, AnyValues>(get));
    plugins.offer("keys.set", steptree::step<AnyValues, AnyValues>(set));
}

}  // namespace resp
