#pragma once

#include "extras.hpp"
#include "step.hpp"

/// Values of a subtree: see steptree/local.hpp.
namespace steptree::detail {

/// One that the step has set, with the value behind it.
struct LocalExtra : Extra {
    const void* local;
    const TypeDesc* desc;

    void* value() noexcept {
        const auto begin = reinterpret_cast<std::uintptr_t>(this + 1);
        return reinterpret_cast<void*>((begin + desc->align - 1) / desc->align * desc->align);
    }
};

void destroyLocal(LocalExtra& extra) noexcept;
/// Its locals and signals, which whoever closes it may ask for, and then destroys.
Extra* takeReadable(Step& step) noexcept;

}  // namespace steptree::detail
