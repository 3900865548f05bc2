#include "callreply.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "error.hpp"
#include "failures.hpp"
#include "jobtext.hpp"
#include "steptree/error.hpp"

namespace steptree::detail::redis {

namespace {

StepError errorOf(const Failure& failure, std::exception_ptr cause) {
    const auto& [code, info, path, wait] = failure;
    StepError made =
        path.empty() ? StepError(code, info, cause) : raisedElsewhere(code, info, path, cause);
    made.data()->retryAfter = wait;
    return made;
}

/// The first one is caused by those behind it.
std::exception_ptr errorOf(const std::vector<Failure>& failures) {
    std::exception_ptr made;
    for (std::size_t i = failures.size(); i > 0; --i) {
        made = std::make_exception_ptr(errorOf(failures[i - 1], made));
    }
    return made;
}

}  // namespace

void complete(const Completion& done, const std::string& reply, std::int64_t mostDepth) noexcept {
    try {
        std::vector<Failure> failures;
        std::string text = reply.substr(std::min<std::size_t>(1, reply.size()));
        if (reply.starts_with('+')) {
            if (text.empty()) text = "null";
            const std::string why = whyNoPayload(text, mostDepth, "the reply");
            if (why.empty()) return static_cast<void>(done.success(std::move(text)));
            failures.push_back(failureOf(errors::InternalError, why));
        } else {
            for (const auto& one : listIn(text)) failures.push_back(failureIn(one));
        }
        if (failures.empty())
            failures.push_back(failureOf(errors::InternalError, "the reply is none"));
        done.fail(errorOf(failures));
    } catch (...) {
        done.fail(std::current_exception());
    }
}

}  // namespace steptree::detail::redis
