#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "errors.hpp"
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

    /// Of a step value.
    static AnyStep of(const AnyStep& step, const steptree_value* values, std::size_t count) {
        std::vector<Value> taken = valuesOf(values, count);
        if (count > detail::kMaxValues) misuse("bound: at most 4 values");
        return AnyStep(detail::around<BoundValues>(step, std::move(taken)));
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
