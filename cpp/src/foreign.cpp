#include "foreign.hpp"

#include <cxxabi.h>

#include <cstddef>
#include <string>
#include <utility>

#include "error.hpp"
#include "latch.hpp"
#include "report.hpp"

/// What becomes of an exception that leaves user code.
namespace steptree::detail {

namespace {

ErrorRef record(Step& at, std::string_view code, const char* info) noexcept {
    std::exception_ptr native = std::current_exception();
    ErrorRef error = raisedBy(at, code.empty() ? errors::InternalError : code, info);
    giveCause(*error.get(), native);
    if (!isPrepared(*error.get())) error->native = std::move(native);
    return error;
}

/// Only who asks for it pays for the text. Short of memory he isn't told.
void tellWhere(const ErrorData& error, const std::exception& thrown) noexcept {
    try {
        if (auto* const asks = dynamic_cast<const KnowsWhere*>(&thrown)) {
            asks->raisedAt(whereOf(error));
        }
    } catch (...) {
        return;
    }
}

/// What is being handled and is no exception. [error-53]
std::string describeThrown() {
    try {
        throw;
    } catch (bool value) {
        return value ? "true" : "false";
    } catch (std::nullptr_t) {
        return "null";
    } catch (int value) {
        return std::to_string(value);
    } catch (unsigned value) {
        return std::to_string(value);
    } catch (long value) {
        return std::to_string(value);
    } catch (unsigned long value) {
        return std::to_string(value);
    } catch (long long value) {
        return std::to_string(value);
    } catch (unsigned long long value) {
        return std::to_string(value);
    } catch (const char* value) {
        return '\'' + std::string(value != nullptr ? value : "") + '\'';
    } catch (const std::string& value) {
        return '\'' + value + '\'';
    } catch (...) {
        return nameOf(*abi::__cxa_current_exception_type());
    }
}

ErrorRef thrownThing(Step& at, std::string_view code) noexcept {
    std::string info;
    try {
        info = "thrown: " + describeThrown();
    } catch (...) {
        info.clear();  // short of memory
    }
    return record(at, code, info.c_str());
}

constexpr std::string_view kNull = "expected an exception, got null";

/// Short of memory it has less to say.
void nameIt(ErrorData& error, std::string_view code, std::string_view info) noexcept {
    try {
        error.code = code.empty() ? std::string_view(errors::InternalError) : code;
        error.info = info;
    } catch (...) {
        error.info.clear();
    }
}

/// A signal that was kept may come from anywhere; it counts only where its loop is.
Step* findLoop(Step& from, const LoopControl& thrown) noexcept {
    return thrown.loop() == 0 ? findLoop(from, thrown.label()) : findLoop(from, thrown.loop());
}

}  // namespace

ErrorRef foreignError(Step& at, const std::exception* thrown) noexcept {
    const std::string code = portableCode(thrown);
    if (thrown == nullptr) return thrownThing(at, code);
    ErrorRef error = record(at, code, thrown->what());
    if (!isPrepared(*error.get())) tellWhere(*error.get(), *thrown);
    return error;
}

ErrorRef toRecord(std::exception_ptr thrown, Step& at) noexcept {
    if (thrown == nullptr) {
        return raisedBy(at, errors::InternalError, kNull);
    }
    try {
        std::rethrow_exception(std::move(thrown));
    } catch (const StepError& error) {
        return raisedBy(at, error);
    } catch (const std::exception& error) {
        return foreignError(at, &error);
    } catch (...) {
        return foreignError(at, nullptr);
    }
}

void standFor(ErrorData& error, std::string_view code, std::string_view info) noexcept {
    if (!isPrepared(error)) nameIt(error, code, info);
}

void standFor(ErrorData& error, std::exception_ptr thrown) noexcept {
    if (isPrepared(error)) return;
    if (thrown == nullptr) return nameIt(error, errors::InternalError, kNull);
    try {
        error.native = error.cause = thrown;
        std::rethrow_exception(std::move(thrown));
    } catch (const StepError& given) {
        error.native = nullptr;
        error.cause = given.cause();
        error.origin = given.data().get();
        error.retryAfter = given.retryAfter();
        nameIt(error, given.code(), given.info());
        if (error.info == given.info()) error.guardSize = given.data()->guardSize;
    } catch (const std::exception& given) {
        nameIt(error, portableCode(&given), given.what());
        tellWhere(error, given);
    } catch (...) {
        nameIt(error, portableCode(nullptr), "thrown: " + describeThrown());
    }
}

/// What the standing latch threw changes nothing.
void Step::caught(const StepError& thrown) noexcept {
    if (phase == Phase::cancel) return report(*line->flow, std::current_exception(), *this);
    if ((line->marks & kError) != 0 && line->error == thrown.data().get()) return;
    latchFail(*line, raisedBy(*this, thrown));
}

void Step::caught(const LoopControl& thrown) noexcept {
    if (phase == Phase::cancel) return report(*line->flow, std::current_exception(), *this);
    if (Step* loop = findLoop(*this, thrown)) {
        latchControl(*line, *loop, thrown.isBreak());
    } else {
        latchFail(*line, raisedBy(*this, errors::InternalError, "there is no loop around"));
    }
}

void Step::caught(const std::exception* thrown) noexcept {
    if (phase == Phase::cancel) return report(*line->flow, std::current_exception(), *this);
    latchFail(*line, foreignError(*this, thrown));
}

}  // namespace steptree::detail
