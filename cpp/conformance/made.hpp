#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "steptree/steps.hpp"
#include "value.hpp"

namespace conformance {

/// Steps of a case that are values, made before it runs, by the form that each stands for; and what
/// they refer to, which has its place for as long.
struct Made {
    std::map<const Json*, steptree::Step<>> added;  // where the form is added
    std::map<const Json*, steptree::Step<>> parts;  // where only a value may stand
    std::map<std::string, std::shared_ptr<void>> guards;
    std::map<std::string, std::shared_ptr<void>> channels;
    std::map<std::string, std::shared_ptr<void>> budgets;

    /// Whether only one line runs, and not for long: nobody sees when it gives way to others.
    bool alone = true;
    /// Whether time passes only while nothing runs.
    bool idle = true;
    bool loses = false;  // a lock, of which a handler further in hears nothing

    // Forms of the case, those of them that are values, and bodies that are.
    std::size_t steps = 0;
    std::size_t values = 0;
    std::size_t bodies = 0;

    /// What has been made for that form; null: nothing.
    const steptree::Step<>* find(const Json& form) const {
        const auto known = added.find(&form);
        return known == added.end() ? nullptr : &known->second;
    }
    /// Whether such a form may have a value in the place of its body. Rounds count against the
    /// burst in any case. [model-53]
    bool describes(const std::string& kind) const {
        return alone || kind == "loop" || kind == "repeat" || kind == "forEach";
    }
};

/// Makes a thing, or makes it again where it stands: values go on referring to it.
template <class T, class... A>
std::shared_ptr<T> makeAt(const std::shared_ptr<void>& place, A&&... args) {
    if (place == nullptr) return std::make_shared<T>(std::forward<A>(args)...);
    T* const old = static_cast<T*>(place.get());
    std::destroy_at(old);
    return std::shared_ptr<T>(place, std::construct_at(old, std::forward<A>(args)...));
}

}  // namespace conformance
