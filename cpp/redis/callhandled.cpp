#include <nlohmann/json.hpp>
#include <utility>

#include "callsource.hpp"
#include "jobtext.hpp"

/// What a call is for its handler, and what has come of it.
namespace steptree::detail::redis {

std::unique_ptr<Report> CallSource::refusal(const Held& work) {
    const HeldCall& call = callOf(work);
    const std::string& method = call.data.method;
    Failure why;
    if (!handlers_.contains(method)) {
        why = failureOf(errors::UnknownMethod,
                        "service \"" + service_.name() + "\" has no \"" + method + "\"");
    } else {
        why = failureOf(errors::InvalidCall, whyInvalid(call));
        if (why.info.empty()) return nullptr;
    }
    return std::make_unique<Report>(failed(call, {why}));
}

std::string CallSource::whyInvalid(const HeldCall& call) {
    std::string why = whyNoPayload(call.args, limits_.maxDepth, "the list of arguments");
    if (!why.empty()) return why;
    if (!isList(call.args)) return "the arguments are no list";
    try {
        if (!accepts_ || accepts_(call.args, call.data.method)) return {};
    } catch (...) {
        why = failuresOf(std::current_exception()).front().info;
    }
    return why.empty() ? "the method does not accept the arguments" : why;
}

WorkSource::Handler CallSource::handlerOf(const Held& work) {
    const auto call = std::static_pointer_cast<HeldCall>(work);
    const std::shared_ptr<const ServedCall::Data> data(call, &call->data);
    return handlers_.at(call->data.method).with(call->args, ServedCall(data));
}

Report CallSource::ended(const Held& work, const Outcome& outcome) {
    const HeldCall& call = callOf(work);
    if (outcome.kind == OutcomeKind::error) return failed(call, failuresOf(outcome.error));
    if (outcome.kind == OutcomeKind::cancelled) {
        Report cut = failed(call, {{failureOf(errors::CallLost, "the server has ended")}});
        cut.counts = true;
        return cut;
    }
    if (outcome.values.empty()) return reply(call, "+");
    std::string why = "the reply is no text of JSON";
    if (outcome.values.holds<std::string>(0)) {
        const auto& text = outcome.values.at<std::string>(0);
        const std::string size = std::to_string(text.size());
        why = whyNoPayload(text, limits_.maxDepth, "the reply");
        if (static_cast<std::int64_t>(text.size()) > limits_.maxBytes) {
            why = "the reply has " + size + " bytes, " + std::to_string(limits_.maxBytes) +
                  " are allowed";
        }
        if (why.empty()) return reply(call, "+" + text);
    }
    Report none = failed(call, {failureOf(errors::InternalError, why)});
    none.mistake = std::make_exception_ptr(StepError(errors::InternalError, why));
    return none;
}

Report CallSource::failed(const HeldCall& call, const std::vector<Failure>& failures) const {
    nlohmann::json list = nlohmann::json::array();
    for (const Failure& one : failures) list.push_back(jsonOf(one));
    return reply(call, "-" + textOf(list));
}

Report CallSource::reply(const HeldCall& call, std::string text) const {
    return {"calls/reply",
            {call.session, std::to_string(limits_.lease.count()), call.data.id, std::move(text)}};
}

std::string CallSource::nameOf(const Held& work) const {
    return service_.name() + "." + callOf(work).data.method;
}

Report CallSource::back(const Held& work) {
    const HeldCall& call = callOf(work);
    return {"calls/putback", {call.session, std::to_string(limits_.lease.count()), call.data.id}};
}

}  // namespace steptree::detail::redis
