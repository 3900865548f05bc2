#include "failures.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "jobtext.hpp"

namespace steptree::detail::redis {

namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostOfOne = 4;
constexpr std::size_t kMostCode = 200;
constexpr std::size_t kMostInfo = 2000;
constexpr std::size_t kMostPath = 500;
constexpr std::int64_t kMostDepth = 8;

std::string stringOf(const Json& of, const char* name) {
    const auto found = of.find(name);
    return found != of.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

Failure failureOf(std::string_view code, std::string_view info, std::string_view path,
                  std::int64_t retryAfter) {
    return {std::string(code.substr(0, kMostCode)), std::string(info.substr(0, kMostInfo)),
            std::string(path.substr(0, kMostPath)), retryAfter};
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

std::vector<Failure> failuresOf(const std::exception_ptr& error) {
    std::vector<Failure> found;
    for (std::exception_ptr at = error; at != nullptr && found.size() < kMostOfOne;) {
        const StepError known = errorOf(at);
        found.push_back(failureOf(known.code(), known.info(), known.path(), known.retryAfter()));
        at = known.cause();
    }
    return found;
}

Json listIn(const std::string& text) {
    Json found = Json::array();
    if (isDeeper(text, kMostDepth)) return found;
    Json given = Json::parse(text, nullptr, false);
    if (!given.is_array()) return found;
    for (Json& one : given) {
        if (one.is_object()) found.push_back(std::move(one));
    }
    return found;
}

std::int64_t wholeIn(const Json& thing, const char* name, std::int64_t otherwise) {
    constexpr double kMost = 1e15;
    const auto found = thing.find(name);
    const double number = found != thing.end() && found->is_number() ? found->get<double>() : -1;
    return number >= 0 && number <= kMost ? static_cast<std::int64_t>(number) : otherwise;
}

Failure failureIn(const Json& thing) {
    return failureOf(stringOf(thing, "code"), stringOf(thing, "info"), stringOf(thing, "path"),
                     wholeIn(thing, "retry_after", -1));
}

std::string textOf(const Json& list) {
    return list.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json jsonOf(const Failure& failure) {
    Json made{{"code", failure.code}, {"info", failure.info}, {"path", failure.path}};
    if (failure.retryAfter >= 0) made["retry_after"] = failure.retryAfter;
    return made;
}

}  // namespace steptree::detail::redis
