#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "request.hpp"

namespace steptree::detail::inspecting {

/// Who is let in: requests that know the token, and come from a page of this server or from no page
/// at all.
class Door {
  public:
    explicit Door(const std::string& host);

    const std::string& token() const noexcept { return token_; }

    /// What is asked for behind the token; nothing: it isn't let in.
    std::optional<std::string_view> asked(const Request& request) const;

  private:
    bool isToken(std::string_view given) const noexcept;
    bool isOurs(std::string_view host) const;

    const std::string token_;
    const std::string host_;
};

}  // namespace steptree::detail::inspecting
