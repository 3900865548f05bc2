#include "harness.hpp"

const char* bench::version() noexcept {
    return STEPTREE_VERSION;
}
