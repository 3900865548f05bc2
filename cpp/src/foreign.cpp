#include "foreign.hpp"

#include <cerrno>

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
    ErrorRef error = makeError(at, code.empty() ? errors::InternalError : code, info, native);
    if (error.get() != at.line->share().outOfMemory) error->native = std::move(native);
    return error;
}

/// Whatever it is becomes an error of the step.
struct Recording {
    Step& step;
    ErrorRef error;

    void take(const StepError& thrown) noexcept { error = makeError(step, thrown); }
    void take(const LoopControl&) noexcept { error = foreignError(step); }
    void take(ErrorRef made) noexcept { error = std::move(made); }
};

}  // namespace

ErrorRef foreignError(Step& at, const std::system_error& thrown) noexcept {
    const std::error_category& category = thrown.code().category();
    const bool portable = category == std::generic_category() || category == std::system_category();
    return record(at, portable ? errnoName(thrown.code().value()) : std::string_view{},
                  thrown.what());
}

ErrorRef foreignError(Step& at, const std::exception& thrown) noexcept {
    return record(at, {}, thrown.what());
}

ErrorRef foreignError(Step& at) noexcept {
    return record(at, {}, "an exception of unknown type");
}

ErrorRef toRecord(std::exception_ptr thrown, Step& at) noexcept {
    if (thrown == nullptr) {
        return makeError(at, errors::InternalError, "expected an exception, got null");
    }
    Recording recording{at, {}};
    takeThrown(
        at, [&] { std::rethrow_exception(std::move(thrown)); },
        [&]() -> Recording& { return recording; });
    return std::move(recording.error);
}

void Latching::take(const StepError& thrown) noexcept {
    if ((line.marks & kError) != 0 && line.error == thrown.data().get()) return;
    latchFail(line, makeError(step, thrown));
}

void Latching::take(const LoopControl& thrown) noexcept {
    Step* loop = findLoop(step, thrown.label());
    if (loop != nullptr) {
        latchControl(line, *loop, thrown.isBreak());
    } else {
        latchFail(line, makeError(step, errors::InternalError, "there is no loop around"));
    }
}

void Latching::take(ErrorRef error) noexcept {
    latchFail(line, std::move(error));
}

}  // namespace steptree::detail
