#include "redisoptions.hpp"

#include "jobtext.hpp"
#include "misuse.hpp"

namespace steptree::detail::redis {

std::int64_t checkWhole(const std::string& what, std::int64_t given, std::int64_t least,
                        std::int64_t most) {
    if (given >= least && given <= most) return given;
    misuse(what + ": expected a number from " + std::to_string(least) + " to " +
           std::to_string(most) + ", got " + std::to_string(given));
}

void checkPayload(const char* call, const std::string& text, std::int64_t mostBytes,
                  std::int64_t mostDepth) {
    const std::string why = whyNoPayload(text, mostDepth);
    if (!why.empty()) misuse(std::string(call) + ": " + why);
    if (static_cast<std::int64_t>(text.size()) > mostBytes) {
        misuse(std::string(call) + ": the payload has " + std::to_string(text.size()) + " bytes, " +
               std::to_string(mostBytes) + " are allowed");
    }
}

}  // namespace steptree::detail::redis
