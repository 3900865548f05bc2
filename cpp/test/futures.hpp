#pragma once

#include <exception>
#include <string>
#include <utility>

#include "codeof.hpp"
#include "steptree/future.hpp"

/// What the tests of futures share.
namespace futures {

using rig::codeOf;
using steptree::Error;
using steptree::Future;
using steptree::Promise;
using steptree::StepError;
using steptree::WithFailure;

/// A failure type that knows nothing of exceptions.
struct Refusal {
    explicit Refusal(int n = 0, std::string why = {}) : number(n), text(std::move(why)) {}
    int number;
    std::string text;
    bool operator==(const Refusal&) const = default;
};

/// "value 5", "failed MyCode", "pending".
template <class T>
std::string shown(const Future<T>& future) {
    if (!future.isCompleted()) return "pending";
    if (future.isFailed()) return "failed " + future.failureReason().code();
    if constexpr (std::is_void_v<T>) {
        return "value";
    } else {
        return "value " + std::to_string(future.result());
    }
}

}  // namespace futures

template <>
struct steptree::FailureTraits<futures::Refusal> {
    static futures::Refusal fromException(std::exception_ptr exception) {
        return futures::Refusal(-1, steptree::Error(std::move(exception)).info());
    }
    static std::exception_ptr toException(const futures::Refusal& refusal) {
        return std::make_exception_ptr(
            steptree::StepError("Refused", std::to_string(refusal.number) + ' ' + refusal.text));
    }
};
