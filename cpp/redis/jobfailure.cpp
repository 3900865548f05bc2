#include "jobfailure.hpp"

#include <cstddef>
#include <nlohmann/json.hpp>

namespace steptree::detail::redis {

namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostFailures = 16;

}  // namespace

JobFailure jobFailure(std::int64_t attempt, const Failure& failure) {
    return {attempt, failure.code, failure.info, failure.path};
}

JobFailures jobFailuresOf(const std::exception_ptr& error, std::int64_t attempt) {
    JobFailures found;
    for (const Failure& one : failuresOf(error)) found.push_back(jobFailure(attempt, one));
    return found;
}

JobFailures together(JobFailures before, const JobFailures& more) {
    before.insert(before.end(), more.begin(), more.end());
    if (before.size() > kMostFailures) {
        const auto over = static_cast<std::ptrdiff_t>(before.size() - kMostFailures);
        before.erase(before.begin() + 1, before.begin() + 1 + over);
    }
    return before;
}

JobFailures jobFailuresIn(const std::string& text) {
    JobFailures found;
    for (const Json& one : listIn(text)) {
        found.push_back(jobFailure(wholeIn(one, "attempt", 0), failureIn(one)));
    }
    return found;
}

std::string textOf(const JobFailures& failures) {
    Json list = Json::array();
    for (const auto& [attempt, code, info, path] : failures) {
        list.push_back({{"attempt", attempt}, {"code", code}, {"info", info}, {"path", path}});
    }
    return textOf(list);
}

}  // namespace steptree::detail::redis
