#include "visit.hpp"

#include <array>

#include "world.hpp"

namespace conformance {

namespace {

/// Lists of actions and forms that stand in an action, and forms that stand as a value in one.
constexpr std::array kLists{"do",   "catch", "try",  "setCancel", "immediate",
                            "sink", "steps", "lock", "unlock"};
constexpr std::array kParts{"body", "wrapped", "returnStep"};

void visitAll(const Json& actions, const See& see, bool areParts = false);

void visitInside(const Json& action, const See& see);

void visit(const Json& action, const See& see, bool isPart) {
    if (action.is_object()) visitInside(action, see);
    see(action, isPart);
}

void visitNumbered(const Json& lists, const See& see) {
    if (!lists.is_object()) return;
    for (const Json& list : lists) visitAll(list, see);
}

void visitInside(const Json& action, const See& see) {
    for (const char* list : kLists) visitAll(part(action, list), see);
    visitAll(part(action, "parts"), see, true);
    visitAll(part(action, "branches"), see, !action.contains("parallel"));
    for (const char* key : kParts) {
        if (action.contains(key)) visit(action[key], see, true);
    }
    for (const Json& wrap : part(action, "wraps")) visitAll(part(wrap, "do"), see);
    visitNumbered(part(action, "at"), see);
    if (part(action, "of").is_object()) visitNumbered(part(action["of"], "at"), see);
}

void visitAll(const Json& actions, const See& see, bool areParts) {
    if (!actions.is_array()) return;
    for (const Json& action : actions) visit(action, see, areParts);
}

}  // namespace

void visitCase(const Json& program, const See& see) {
    for (const Json& level : program["flows"]) visitAll(level, see);
    for (const Json& guard : part(program, "guards")) visitInside(part(guard, "custom"), see);
    visitAll(part(program, "start"), see);
    for (const Json& event : part(program, "events")) visitInside(event, see);
}

}  // namespace conformance
