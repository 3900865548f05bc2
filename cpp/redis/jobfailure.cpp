#include "jobfailure.hpp"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "steptree/error.hpp"

namespace steptree::detail::redis {

namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostFailures = 16;
constexpr std::size_t kMostOfOne = 4;
constexpr std::size_t kMostCode = 200;
constexpr std::size_t kMostInfo = 2000;
constexpr std::size_t kMostPath = 500;

std::string stringOf(const Json& of, const char* name) {
    const auto found = of.find(name);
    return found != of.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

JobFailure failure(std::int64_t attempt, std::string_view code, std::string_view info,
                   std::string_view path) {
    return {attempt, std::string(code.substr(0, kMostCode)), std::string(info.substr(0, kMostInfo)),
            std::string(path.substr(0, kMostPath))};
}

StepError errorOf(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const StepError& known) {
        return known;
    } catch (const std::exception& native) {
        return StepError(errors::InternalError, native.what());
    } catch (...) {
        return StepError(errors::InternalError, "an exception of an unknown type");
    }
}

Failures failuresOf(const std::exception_ptr& error, std::int64_t attempt) {
    Failures found;
    for (std::exception_ptr at = error; at != nullptr && found.size() < kMostOfOne;) {
        const StepError known = errorOf(at);
        found.push_back(failure(attempt, known.code(), known.info(), known.path()));
        at = known.cause();
    }
    return found;
}

Failures together(Failures before, const Failures& more) {
    before.insert(before.end(), more.begin(), more.end());
    if (before.size() > kMostFailures) {
        const auto over = static_cast<std::ptrdiff_t>(before.size() - kMostFailures);
        before.erase(before.begin() + 1, before.begin() + 1 + over);
    }
    return before;
}

Failures failuresIn(const std::string& text) {
    Failures found;
    const Json list = Json::parse(text, nullptr, false);
    if (!list.is_array()) return found;
    for (const Json& one : list) {
        if (!one.is_object()) continue;
        const auto attempt = one.find("attempt");
        const bool isKnown = attempt != one.end() && attempt->is_number();
        found.push_back(failure(isKnown ? attempt->get<std::int64_t>() : 0, stringOf(one, "code"),
                                stringOf(one, "info"), stringOf(one, "path")));
    }
    return found;
}

/// What is no UTF-8 is replaced.
std::string textOf(const Failures& failures) {
    Json list = Json::array();
    for (const auto& [attempt, code, info, path] : failures) {
        list.push_back({{"attempt", attempt}, {"code", code}, {"info", info}, {"path", path}});
    }
    return list.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace steptree::detail::redis
