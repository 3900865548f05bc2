#include <boost/version.hpp>
#include <string>

#include "../../harness.hpp"

const char* bench::version() noexcept {
    static const std::string text = "Boost.Fiber " + std::to_string(BOOST_VERSION / 100'000) + "." +
                                    std::to_string(BOOST_VERSION / 100 % 1000);
    return text.c_str();
}
