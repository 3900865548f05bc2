#include "harness.hpp"

const char* bench::version() noexcept {
    return "steptree " BENCHED_VERSION;
}
