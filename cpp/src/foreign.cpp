#include <cxxabi.h>

#include <cerrno>
#include <cstddef>
#include <string>
#include <system_error>
#include <utility>

#include "engine.hpp"

/// What becomes of an exception that leaves user code.
namespace steptree::detail {

namespace {

#define STEPTREE_ERRNO(name) \
    case name:               \
        return #name;

/// The name of an errno ("ECONNREFUSED"), empty if there is none.
std::string_view errnoName(int number) noexcept {
    switch (number) {
        STEPTREE_ERRNO(E2BIG)
        STEPTREE_ERRNO(EACCES)
        STEPTREE_ERRNO(EADDRINUSE)
        STEPTREE_ERRNO(EADDRNOTAVAIL)
        STEPTREE_ERRNO(EAFNOSUPPORT)
        STEPTREE_ERRNO(EAGAIN)
        STEPTREE_ERRNO(EALREADY)
        STEPTREE_ERRNO(EBADF)
        STEPTREE_ERRNO(EBADMSG)
        STEPTREE_ERRNO(EBUSY)
        STEPTREE_ERRNO(ECANCELED)
        STEPTREE_ERRNO(ECHILD)
        STEPTREE_ERRNO(ECONNABORTED)
        STEPTREE_ERRNO(ECONNREFUSED)
        STEPTREE_ERRNO(ECONNRESET)
        STEPTREE_ERRNO(EDEADLK)
        STEPTREE_ERRNO(EDESTADDRREQ)
        STEPTREE_ERRNO(EDOM)
        STEPTREE_ERRNO(EEXIST)
        STEPTREE_ERRNO(EFAULT)
        STEPTREE_ERRNO(EFBIG)
        STEPTREE_ERRNO(EHOSTUNREACH)
        STEPTREE_ERRNO(EIDRM)
        STEPTREE_ERRNO(EILSEQ)
        STEPTREE_ERRNO(EINPROGRESS)
        STEPTREE_ERRNO(EINTR)
        STEPTREE_ERRNO(EINVAL)
        STEPTREE_ERRNO(EIO)
        STEPTREE_ERRNO(EISCONN)
        STEPTREE_ERRNO(EISDIR)
        STEPTREE_ERRNO(ELOOP)
        STEPTREE_ERRNO(EMFILE)
        STEPTREE_ERRNO(EMLINK)
        STEPTREE_ERRNO(EMSGSIZE)
        STEPTREE_ERRNO(ENAMETOOLONG)
        STEPTREE_ERRNO(ENETDOWN)
        STEPTREE_ERRNO(ENETRESET)
        STEPTREE_ERRNO(ENETUNREACH)
        STEPTREE_ERRNO(ENFILE)
        STEPTREE_ERRNO(ENOBUFS)
        STEPTREE_ERRNO(ENODEV)
        STEPTREE_ERRNO(ENOENT)
        STEPTREE_ERRNO(ENOEXEC)
        STEPTREE_ERRNO(ENOLCK)
        STEPTREE_ERRNO(ENOMEM)
        STEPTREE_ERRNO(ENOMSG)
        STEPTREE_ERRNO(ENOPROTOOPT)
        STEPTREE_ERRNO(ENOSPC)
        STEPTREE_ERRNO(ENOSYS)
        STEPTREE_ERRNO(ENOTCONN)
        STEPTREE_ERRNO(ENOTDIR)
        STEPTREE_ERRNO(ENOTEMPTY)
        STEPTREE_ERRNO(ENOTSOCK)
        STEPTREE_ERRNO(ENOTSUP)
        STEPTREE_ERRNO(ENOTTY)
        STEPTREE_ERRNO(ENXIO)
        STEPTREE_ERRNO(EOVERFLOW)
        STEPTREE_ERRNO(EPERM)
        STEPTREE_ERRNO(EPIPE)
        STEPTREE_ERRNO(EPROTO)
        STEPTREE_ERRNO(EPROTONOSUPPORT)
        STEPTREE_ERRNO(EPROTOTYPE)
        STEPTREE_ERRNO(ERANGE)
        STEPTREE_ERRNO(EROFS)
        STEPTREE_ERRNO(ESPIPE)
        STEPTREE_ERRNO(ESRCH)
        STEPTREE_ERRNO(ETIMEDOUT)
        STEPTREE_ERRNO(ETXTBSY)
        STEPTREE_ERRNO(EXDEV)
        default:
            return {};
    }
}

#undef STEPTREE_ERRNO

ErrorRef record(Step& at, std::string_view code, const char* info) noexcept {
    std::exception_ptr native = std::current_exception();
    ErrorRef error = makeError(at, code.empty() ? errors::InternalError : code, info);
    giveCause(*error.get(), native);
    if (!isPrepared(*error.get())) error->native = std::move(native);
    return error;
}

}  // namespace

namespace {

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

ErrorRef thrownThing(Step& at) noexcept {
    std::string info;
    try {
        info = "thrown: " + describeThrown();
    } catch (...) {
        info.clear();  // short of memory
    }
    return record(at, {}, info.c_str());
}

}  // namespace

ErrorRef foreignError(Step& at, const std::exception* thrown) noexcept {
    if (thrown == nullptr) return thrownThing(at);
    std::string_view code;
    if (const auto* system = dynamic_cast<const std::system_error*>(thrown)) {
        const std::error_category& category = system->code().category();
        if (category == std::generic_category() || category == std::system_category()) {
            code = errnoName(system->code().value());
        }
    }
    return record(at, code, thrown->what());
}

ErrorRef toRecord(std::exception_ptr thrown, Step& at) noexcept {
    if (thrown == nullptr) {
        return makeError(at, errors::InternalError, "expected an exception, got null");
    }
    try {
        std::rethrow_exception(std::move(thrown));
    } catch (const StepError& error) {
        return makeError(at, error);
    } catch (const std::exception& error) {
        return foreignError(at, &error);
    } catch (...) {
        return foreignError(at, nullptr);
    }
}

namespace {

/// A signal that was kept may come from anywhere; it counts only where its loop is.
Step* findLoop(Step& from, const LoopControl& thrown) noexcept {
    return thrown.loop() == 0 ? findLoop(from, thrown.label()) : findLoop(from, thrown.loop());
}

}  // namespace

/// What the standing latch threw changes nothing.
void Step::caught(const StepError& thrown) noexcept {
    if (phase == Phase::cancel) return report(*line->flow, std::current_exception(), *this);
    if ((line->marks & kError) != 0 && line->error == thrown.data().get()) return;
    latchFail(*line, makeError(*this, thrown));
}

void Step::caught(const LoopControl& thrown) noexcept {
    if (phase == Phase::cancel) return report(*line->flow, std::current_exception(), *this);
    if (Step* loop = findLoop(*this, thrown)) {
        latchControl(*line, *loop, thrown.isBreak());
    } else {
        latchFail(*line, makeError(*this, errors::InternalError, "there is no loop around"));
    }
}

void Step::caught(const std::exception* thrown) noexcept {
    if (phase == Phase::cancel) return report(*line->flow, std::current_exception(), *this);
    latchFail(*line, foreignError(*this, thrown));
}

}  // namespace steptree::detail
