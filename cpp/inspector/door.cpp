#include "door.hpp"

#include <asio/ip/address.hpp>
#include <cstddef>

#include "chance.hpp"
#include "cut.hpp"

namespace steptree::detail::inspecting {

namespace {

constexpr std::size_t kTokenBytes = 24;

std::string_view withoutPort(std::string_view host) {
    const std::size_t colon = host.rfind(':');
    if (colon == std::string_view::npos || colon + 1 == host.size()) return host;
    const std::string_view port = host.substr(colon + 1);
    return port.find_first_not_of("0123456789") == std::string_view::npos ? host.substr(0, colon)
                                                                          : host;
}

bool isAddress(const std::string& text) {
    asio::error_code error;
    asio::ip::make_address(text, error);
    return !error;
}

}  // namespace

Door::Door(const std::string& host) : token_(chance(kTokenBytes)), host_(lowered(host)) {}

std::optional<std::string_view> Door::asked(const Request& request) const {
    const std::string_view target = request.target;
    const std::size_t end = target.find('/', 1);
    if (target.front() != '/' || end == std::string_view::npos) return std::nullopt;
    const auto host = request.header("host");
    const auto origin = request.header("origin");
    if (!isToken(target.substr(1, end - 1)) || !host || !origin || !isOurs(*host))
        return std::nullopt;
    if (!origin->empty() && *origin != "http://" + std::string(*host)) return std::nullopt;
    return target.substr(end + 1);
}

/// Takes as long whatever is given.
bool Door::isToken(std::string_view given) const noexcept {
    if (given.size() != token_.size()) return false;
    unsigned different = 0;
    for (std::size_t i = 0; i < token_.size(); ++i)
        different |= static_cast<unsigned char>(given[i] ^ token_[i]);
    return different == 0;
}

/// A name of somebody else's that leads here isn't: only addresses, and what it was told to listen
/// at. An address without brackets may end like one with a port.
bool Door::isOurs(std::string_view host) const {
    const std::string name = lowered(std::string(withoutPort(host)));
    const bool isBracketed = name.size() > 2 && name.front() == '[' && name.back() == ']';
    const std::string address = isBracketed ? name.substr(1, name.size() - 2) : name;
    return name == "localhost" || address == host_ || isAddress(address);
}

}  // namespace steptree::detail::inspecting
