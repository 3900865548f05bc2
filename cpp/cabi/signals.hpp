#pragma once

#include <stop_token>
#include <utility>

#include "steptree/detail/refcount.hpp"
#include "steptree/steptree.h"

/// A signal as C has it: one from outside has a source.
struct steptree_signal {
    explicit steptree_signal(std::stop_token of) noexcept : token(std::move(of)) {}
    explicit steptree_signal(std::stop_source of) noexcept
        : source(std::move(of)), token(source.get_token()) {}

    mutable steptree::detail::RefCount refs;
    std::stop_source source{std::nostopstate};
    std::stop_token token;
};

namespace steptree::cabi {

inline std::stop_token tokenOf(const steptree_signal* signal) noexcept {
    return signal == nullptr ? std::stop_token() : signal->token;
}

}  // namespace steptree::cabi
