#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "foreign.hpp"

#if __has_include(<netdb.h>)
#include <netdb.h>
#endif

/// The portable codes of exceptions that aren't ours. Categories are known by their names, so that
/// nobody's headers are needed, and two copies of a category are one. [error-18] [error-58]
namespace steptree::detail {

namespace {

constexpr int kMostCauses = 7;  // of an exception that are asked for a code
constexpr int kAsioEof = 2;     // asio::error::misc_errors

#define STEPTREE_ERRNOS(...)                 \
    constexpr int kErrnos[] = {__VA_ARGS__}; \
    constexpr std::string_view kErrnoNames = #__VA_ARGS__ ", "

STEPTREE_ERRNOS(E2BIG, EACCES, EADDRINUSE, EADDRNOTAVAIL, EAFNOSUPPORT, EAGAIN, EALREADY, EBADF,
                EBADMSG, EBUSY, ECANCELED, ECHILD, ECONNABORTED, ECONNREFUSED, ECONNRESET, EDEADLK,
                EDESTADDRREQ, EDOM, EEXIST, EFAULT, EFBIG, EHOSTUNREACH, EIDRM, EILSEQ, EINPROGRESS,
                EINTR, EINVAL, EIO, EISCONN, EISDIR, ELOOP, EMFILE, EMLINK, EMSGSIZE, ENAMETOOLONG,
                ENETDOWN, ENETRESET, ENETUNREACH, ENFILE, ENOBUFS, ENODEV, ENOENT, ENOEXEC, ENOLCK,
                ENOMEM, ENOMSG, ENOPROTOOPT, ENOSPC, ENOSYS, ENOTCONN, ENOTDIR, ENOTEMPTY, ENOTSOCK,
                ENOTSUP, ENOTTY, ENXIO, EOVERFLOW, EPERM, EPIPE, EPROTO, EPROTONOSUPPORT,
                EPROTOTYPE, ERANGE, EROFS, ESPIPE, ESRCH, ETIMEDOUT, ETXTBSY, EXDEV);

#undef STEPTREE_ERRNOS

/// The name of an errno ("ECONNREFUSED"), empty if there is none.
std::string_view errnoName(int number) noexcept {
    std::string_view names = kErrnoNames;
    for (const int known : kErrnos) {
        const std::size_t end = names.find(',');
        if (known == number) return names.substr(0, end);
        names.remove_prefix(end + 2);
    }
    return {};
}

/// The names that a resolver's errors have elsewhere, which doesn't tell those without an address.
std::string_view hostErrorName([[maybe_unused]] int number) noexcept {
#if __has_include(<netdb.h>)
    switch (number) {
        case HOST_NOT_FOUND:
        case NO_DATA:
            return "ENOTFOUND";
        case TRY_AGAIN:
            return "EAI_AGAIN";
        case NO_RECOVERY:
            return "EAI_FAIL";
        default:
            break;
    }
#endif
    return {};
}

std::string_view addressErrorName([[maybe_unused]] int number) noexcept {
#if __has_include(<netdb.h>)
    if (number == EAI_SERVICE) return "EAI_SERVICE";
    if (number == EAI_SOCKTYPE) return "EAI_SOCKTYPE";
#endif
    return {};
}

/// Boost's own system category has the name of the standard's.
std::string_view nameOf(const std::error_code& code) noexcept {
    const std::string_view category = code.category().name();
    const int number = code.value();
    if (category == "generic" || category == "system" || category == "asio.system") {
        return errnoName(number);
    }
    if (category == "asio.misc") return number == kAsioEof ? "EOF" : "";
    if (category == "asio.netdb") return hostErrorName(number);
    if (category == "asio.addrinfo") return addressErrorName(number);
    return {};
}

bool isLetter(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool isPortable(std::string_view code) noexcept {
    if (code.empty() || !isLetter(code.front())) return false;
    for (const char c : code) {
        if (!isLetter(c) && !(c >= '0' && c <= '9')) return false;
    }
    return true;
}

/// Its own code, and what it wraps.
std::string_view lookAt(const std::exception& thrown, std::exception_ptr& cause) noexcept {
    if (const auto* system = dynamic_cast<const std::system_error*>(&thrown)) {
        const std::string_view code = nameOf(system->code());
        if (!code.empty()) return code;
    }
    if (const auto* nested = dynamic_cast<const std::nested_exception*>(&thrown)) {
        cause = nested->nested_ptr();
    }
    return {};
}

std::string codeAlong(std::exception_ptr cause) {
    for (int more = kMostCauses; cause != nullptr && more > 0; --more) {
        const std::exception_ptr at = std::exchange(cause, nullptr);
        try {
            std::rethrow_exception(at);
        } catch (const StepError& error) {
            if (isPortable(error.code())) return error.code();
            cause = error.cause();
        } catch (const std::exception& error) {
            const std::string_view code = lookAt(error, cause);
            if (!code.empty()) return std::string(code);
        } catch (const std::nested_exception& error) {
            cause = error.nested_ptr();
        } catch (...) {
            return {};
        }
    }
    return {};
}

}  // namespace

std::string portableCode(const std::exception* thrown) noexcept {
    try {
        std::exception_ptr cause;
        if (thrown != nullptr) {
            const std::string_view code = lookAt(*thrown, cause);
            if (!code.empty()) return std::string(code);
        } else {
            try {
                throw;
            } catch (const std::nested_exception& nested) {
                cause = nested.nested_ptr();
            } catch (...) {
                return {};
            }
        }
        return codeAlong(std::move(cause));
    } catch (...) {
        return {};  // short of memory: the exception itself is what counts
    }
}

}  // namespace steptree::detail
