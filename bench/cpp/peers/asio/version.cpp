#include <asio/version.hpp>
#include <string>

#include "../../harness.hpp"

const char* bench::version() noexcept {
    static const std::string text = "Asio " + std::to_string(ASIO_VERSION / 100'000) + "." +
                                    std::to_string(ASIO_VERSION / 100 % 1000) + "." +
                                    std::to_string(ASIO_VERSION % 100);
    return text.c_str();
}
