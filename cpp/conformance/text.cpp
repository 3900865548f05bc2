#include "text.hpp"

#include <cerrno>
#include <limits>
#include <map>
#include <stdexcept>
#include <system_error>

namespace conformance {

namespace {

const std::map<std::string, int> kErrnos{
    {"EACCES", EACCES},         {"EAGAIN", EAGAIN},       {"ECONNREFUSED", ECONNREFUSED},
    {"ECONNRESET", ECONNRESET}, {"EEXIST", EEXIST},       {"ENOENT", ENOENT},
    {"EPIPE", EPIPE},           {"ETIMEDOUT", ETIMEDOUT},
};

std::string errnoName(const std::error_code& code) {
    for (const auto& [name, number] : kErrnos) {
        if (code == std::error_code(number, std::generic_category()) ||
            code == std::error_code(number, std::system_category())) {
            return name;
        }
    }
    return "InternalError";
}

/// Of those that are left out, how many. What isn't ours stands for itself, but not behind the one
/// of ours that it has become.
std::string causesOf(const steptree::StepError& error, bool isCause = false) {
    if (error.cause() == nullptr) return {};
    try {
        std::rethrow_exception(error.cause());
    } catch (const steptree::StepError& cause) {
        const std::string rest = causesOf(cause, true);
        const std::string info = cause.code() == "Omitted" ? ": " + cause.info() : "";
        return cause.code() + info + (rest.empty() ? "" : ",") + rest;
    } catch (...) {
        const std::string code = codeOf(error.cause());
        return isCause && code == error.code() ? "" : code;
    }
}

/// Of what it wraps.
std::string codeOfCause(const std::exception& thrown) {
    const auto* nested = dynamic_cast<const std::nested_exception*>(&thrown);
    return nested == nullptr ? "InternalError" : codeOf(nested->nested_ptr());
}

std::string viewOf(steptree::IAsyncSteps& asi, const std::string& view) {
    const steptree::StepError* error = asi.state().lastError();
    if (error == nullptr) return view == "also" ? "[]" : "-";
    if (view == "info") return Json(asi.state().errorInfo()).dump();
    if (view == "path") return asi.state().asyncStack();
    if (view == "code") return codeOf(asi.state().lastException());
    if (view == "guard") return error->refused() ? Json(error->guard()).dump() : "-";
    if (view == "retry_after") {
        return error->retryAfter() < 0 ? "-" : std::to_string(error->retryAfter());
    }
    if (view == "waits") return error->waits().empty() ? "-" : Json(error->waits()).dump();
    if (view == "causes") return "[" + causesOf(*error) + "]";
    if (view == "cause") return error->cause() == nullptr ? "-" : codeOf(error->cause());
    std::string also;
    for (const steptree::StepError& other : error->also()) {
        also += (also.empty() ? "" : ",") + other.code();
    }
    return "[" + also + "]";
}

}  // namespace

std::string withArguments(std::string text, const std::vector<Json>& values) {
    const Quiet quiet;
    for (const Json& value : values) text += " " + value.dump();
    return text;
}

Json valueOf(const steptree::Results& values, std::size_t index) {
    using Mapped = std::vector<steptree::Results>;
    if (index >= values.size()) return {};
    if (values.holds<std::int64_t>(index)) return values.at<std::int64_t>(index);
    if (values.holds<std::size_t>(index)) return values.at<std::size_t>(index);
    if (!values.holds<Mapped>(index)) return values.at<Value>(index).json();
    Json list = Json::array();
    for (const steptree::Results& item : values.at<Mapped>(index)) list.push_back(valueOf(item, 0));
    return list;
}

std::string withValues(std::string text, const steptree::Results& values) {
    const Quiet quiet;
    for (std::size_t i = 0; i < values.size(); ++i) text += " " + valueOf(values, i).dump();
    return text;
}

std::string textOf(const steptree::Outcome& outcome) {
    const Quiet quiet;
    switch (outcome.kind) {
        case steptree::OutcomeKind::ok:
            return withValues("ok", outcome.values);
        case steptree::OutcomeKind::error:
            return "error " + outcome.code;
        case steptree::OutcomeKind::cancelled:
            break;
    }
    return std::string("cancelled") + (outcome.reason.empty() ? "" : " " + outcome.reason);
}

std::string codeOf(const std::exception_ptr& thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const steptree::StepError& e) {
        return e.code();
    } catch (const steptree::LoopControl& e) {
        return e.isBreak() ? "break" : "continue";
    } catch (const std::system_error& e) {
        const std::string name = errnoName(e.code());
        return name == "InternalError" ? codeOfCause(e) : name;
    } catch (const std::exception& e) {
        return codeOfCause(e);
    } catch (...) {
        return "InternalError";
    }
}

double numberOf(const Json& number) {
    if (isText(number, "Infinity")) return std::numeric_limits<double>::infinity();
    if (isText(number, "NaN")) return std::numeric_limits<double>::quiet_NaN();
    return number.get<double>();
}

std::string show(steptree::IAsyncSteps& asi, const Json& views) {
    const Quiet quiet;
    std::string line;
    for (const Json& view : views) {
        const auto name = view.get<std::string>();
        line += (line.empty() ? "" : " ") + name + "=" + viewOf(asi, name);
    }
    return line;
}

namespace {

template <class E>
[[noreturn]] void throwOver(const Json& action, E thrown) {
    if (!action.contains("cause")) throw thrown;
    try {
        throwForeign(action["cause"]);
    } catch (...) {
        std::throw_with_nested(std::move(thrown));
    }
}

}  // namespace

void throwForeign(const Json& action) {
    const auto message = action["throw"].get<std::string>();
    const auto number = kErrnos.find(action.value("code", ""));
    if (number == kErrnos.end()) throwOver(action, std::runtime_error(message));
    throwOver(action, std::system_error(number->second, std::generic_category(), message));
}

}  // namespace conformance
