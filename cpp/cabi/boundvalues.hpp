#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "handles.hpp"
#include "steptree/detail/wrapping.hpp"
#include "values.hpp"

namespace steptree::cabi {

/// A step with values of C, which arrive in each run as those of a step before would.
struct BoundValues : detail::WrappingBlock {
    BoundValues(const detail::StepValue& step, std::vector<Value>&& given)
        : WrappingBlock(step), kept(std::move(given)) {
        for (const Value& value : kept) raw[size++] = value.raw();
        bind = &take;
    }

    static void take(const detail::SequenceDefinition& bound, Results& into) {
        const auto& of = static_cast<const BoundValues&>(bound);
        cabi::take(of.raw.data(), of.size, into);
    }

    const std::vector<Value> kept;
    std::array<steptree_value, detail::kMaxValues> raw{};
    std::size_t size = 0;
};

}  // namespace steptree::cabi
