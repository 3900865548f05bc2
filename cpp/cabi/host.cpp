#include <string>

#include "steptree/version.hpp"
#include "tables.hpp"

/// The table of tables, and whom it's for.
namespace steptree::cabi {

namespace {

#define STEPTREE_DIGITS(number) #number
#define STEPTREE_RELEASE(major, minor, patch) \
    STEPTREE_DIGITS(major) "." STEPTREE_DIGITS(minor) "." STEPTREE_DIGITS(patch)

constexpr char kRelease[] =
    STEPTREE_RELEASE(STEPTREE_VERSION_MAJOR, STEPTREE_VERSION_MINOR, STEPTREE_VERSION_PATCH);

constexpr steptree_api kTables{
    sizeof(kTables),       STEPTREE_ABI,           {kRelease, sizeof(kRelease) - 1},
    &errorcalls::kApi,     &valuecalls::kApi,      &addcalls::kApi,
    &stepcalls::kApi,      &completioncalls::kApi, &awaitercalls::kApi,
    &cancellercalls::kApi, &statecalls::kApi,      &flowcalls::kApi,
    &toolcalls::kApi,      &handlecalls::kApi,     &definecalls::kApi,
    &guardcalls::kApi,     &channelcalls::kApi,    &signalcalls::kApi,
    &scopecalls::kApi,     &observecalls::kApi,    &hostcalls::kApi};

constexpr std::uint32_t majorOf(std::uint32_t version) noexcept {
    return version >> 16;
}

std::string numbersOf(std::uint32_t version) {
    return std::to_string(majorOf(version)) + "." + std::to_string(version & 0xffff);
}

}  // namespace

}  // namespace steptree::cabi

const steptree_api* steptree_host(std::uint32_t version, const char** why) {
    using namespace steptree::cabi;
    if (majorOf(version) == majorOf(STEPTREE_ABI)) return &kTables;
    static thread_local std::string text;
    if (why == nullptr) return nullptr;
    try {
        text = "built for the C interface " + numbersOf(version) + " of steptree, this is " +
               numbersOf(STEPTREE_ABI);
        *why = text.c_str();
    } catch (...) {
        *why = "built for another C interface of steptree";
    }
    return nullptr;
}
