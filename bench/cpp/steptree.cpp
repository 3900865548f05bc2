#include "harness.hpp"

const char* bench::version() noexcept {
    return "steptree " STEPTREE_VERSION;
}
