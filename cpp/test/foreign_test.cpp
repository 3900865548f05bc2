#include <asio/error.hpp>
#include <asio/ip/tcp.hpp>
#include <exception>
#include <stdexcept>
#include <string>
#include <system_error>

#include "catch.hpp"
#include "rig.hpp"
#include "steptree/asioawait.hpp"
#include "steptree/asiotool.hpp"
#include "steptree/detail/asioexception.hpp"

using namespace rig;

namespace {

std::string codeOfThrown(const std::exception_ptr& thrown) {
    Rig rig;
    std::string told;
    rig.flow.add([&](IAsyncSteps&) { std::rethrow_exception(thrown); },
                 [&](IAsyncSteps& asi, const std::string& code) {
                     told = code;
                     CHECK(asi.state().lastException() == thrown);
                 });
    const std::string end = rig.run();
    CHECK(end == "error " + told);
    return told;
}

std::string codeOfError(std::error_code error) {
    return codeOfThrown(std::make_exception_ptr(std::system_error(error)));
}

/// As std::throw_with_nested makes it.
template <class E>
std::exception_ptr over(E thrown, const std::exception_ptr& cause) {
    try {
        std::rethrow_exception(cause);
    } catch (...) {
        try {
            std::throw_with_nested(std::move(thrown));
        } catch (...) {
            return std::current_exception();
        }
    }
}

std::exception_ptr refused() {
    return std::make_exception_ptr(
        std::system_error(std::make_error_code(std::errc::connection_refused)));
}

/// As those of Boost, which are other objects than the standard's or Asio's.
struct Named : std::error_category {
    explicit Named(const char* its) : name_(its) {}
    const char* name() const noexcept override { return name_; }
    std::string message(int) const override { return "message"; }
    const char* name_;
};

/// As that of Boost: no std::system_error.
struct OtherSystemError : std::runtime_error {
    explicit OtherSystemError(std::error_code code) : runtime_error("other"), code_(code) {}
    std::error_code code() const noexcept { return code_; }
    std::error_code code_;
};

}  // namespace

TEST_CASE("the errors of Asio have portable codes", "[error]") {
    CHECK(codeOfError(asio::error::connection_refused) == "ECONNREFUSED");
    CHECK(codeOfError(asio::error::connection_reset) == "ECONNRESET");
    CHECK(codeOfError(asio::error::operation_aborted) == "ECANCELED");
    CHECK(codeOfError(asio::error::eof) == "EOF");
    CHECK(codeOfError(asio::error::not_found) == "InternalError");
    CHECK(codeOfError(asio::error::host_not_found) == "ENOTFOUND");
    CHECK(codeOfError(asio::error::no_data) == "ENOTFOUND");
    CHECK(codeOfError(asio::error::host_not_found_try_again) == "EAI_AGAIN");
    CHECK(codeOfError(asio::error::no_recovery) == "EAI_FAIL");
    CHECK(codeOfError(asio::error::service_not_found) == "EAI_SERVICE");
    CHECK(codeOfError(asio::error::socket_type_not_supported) == "EAI_SOCKTYPE");
}

TEST_CASE("categories of errors are known by their names", "[error]") {
    const Named system("system");
    const Named misc("asio.misc");
    const Named netdb("asio.netdb");
    const Named other("asio.ssl");
    CHECK(codeOfError({ECONNREFUSED, system}) == "ECONNREFUSED");
    CHECK(codeOfError({asio::error::eof, misc}) == "EOF");
    CHECK(codeOfError({asio::error::host_not_found, netdb}) == "ENOTFOUND");
    CHECK(codeOfError({0, system}) == "InternalError");
    CHECK(codeOfError({ECONNREFUSED, other}) == "InternalError");
}

TEST_CASE("the first portable code along nested exceptions is the code", "[error]") {
    struct Baseless {};
    struct Mine : std::runtime_error {
        using runtime_error::runtime_error;
    };
    CHECK(codeOfThrown(over(Mine("load"), refused())) == "ECONNREFUSED");
    CHECK(codeOfThrown(over(Mine("a"), over(Mine("b"), refused()))) == "ECONNREFUSED");
    CHECK(codeOfThrown(over(Baseless{}, refused())) == "ECONNREFUSED");
    CHECK(codeOfThrown(over(Mine("a"), over(Baseless{}, refused()))) == "ECONNREFUSED");
    const std::system_error pipe(std::make_error_code(std::errc::broken_pipe));
    CHECK(codeOfThrown(over(pipe, refused())) == "EPIPE");
    CHECK(codeOfThrown(over(Mine("a"), std::make_exception_ptr(StepError("NotFound")))) ==
          "NotFound");
    CHECK(codeOfThrown(over(Mine("a"), std::make_exception_ptr(StepError("no such")))) ==
          "InternalError");
    const StepError wraps("no such", "", refused());
    CHECK(codeOfThrown(over(Mine("a"), std::make_exception_ptr(wraps))) == "ECONNREFUSED");
    CHECK(codeOfThrown(over(Mine("a"), std::make_exception_ptr(5))) == "InternalError");
    std::exception_ptr deep = refused();
    for (int i = 0; i < 7; ++i) deep = over(Mine("m"), deep);
    CHECK(codeOfThrown(deep) == "ECONNREFUSED");
    CHECK(codeOfThrown(over(Mine("m"), deep)) == "InternalError");
}

TEST_CASE("an exception of Boost's has a portable code, and is caught as what it is", "[error]") {
    const Named system("system");
    const std::exception_ptr thrown =
        steptree::detail::asioException(OtherSystemError({ECONNREFUSED, system}));
    CHECK(codeOfThrown(thrown) == "ECONNREFUSED");
    CHECK_THROWS_AS(std::rethrow_exception(thrown), OtherSystemError);
    CHECK_THROWS_AS(std::rethrow_exception(thrown), std::exception);
    CHECK(codeOfThrown(std::make_exception_ptr(OtherSystemError({ECONNREFUSED, system}))) ==
          "InternalError");
}

TEST_CASE("a connect of Asio's that is refused is tried again", "[error][asioawait]") {
    using asio::ip::tcp;
    asio::io_context io;
    steptree::AsioTool loop(io);
    AsyncSteps flow(loop.tool());
    // Bound, so that nobody else listens there.
    tcp::acceptor closed(io, tcp::v4());
    closed.bind({asio::ip::address_v4::loopback(), 0});
    tcp::socket socket(io);
    int attempts = 0;
    std::string told;
    flow.add(
        retry({.max = 3, .backoff = {.base = 0}},
              [&](IAsyncSteps& asi) {
                  ++attempts;
                  if (socket.is_open()) socket.close();
                  asi.await(socket.async_connect(closed.local_endpoint(), steptree::asioAwaited));
              }),
        [&](IAsyncSteps& asi, const std::string& code) {
            told = code + ' ' + asi.state().errorInfo();
            asi.success();
        });
    flow.execute();
    io.run();
    CHECK(told == "ECONNREFUSED Connection refused");
    CHECK(attempts == 3);
}

TEST_CASE("the end of what Asio reads is an EOF", "[error][asioawait]") {
    using asio::ip::tcp;
    asio::io_context io;
    steptree::AsioTool loop(io);
    AsyncSteps flow(loop.tool());
    tcp::acceptor acceptor(io, {asio::ip::address_v4::loopback(), 0});
    tcp::socket client(io);
    client.connect(acceptor.local_endpoint());
    acceptor.accept().close();
    char byte = 0;
    std::string told;
    flow.await(client.async_read_some(asio::buffer(&byte, 1), steptree::asioAwaited),
               [&](IAsyncSteps& asi, const std::string& code) {
                   told = code;
                   asi.success();
               });
    flow.execute();
    io.run();
    CHECK(told == "EOF");
}
