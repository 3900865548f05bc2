#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "steptree/abi.hpp"
#include "steptree/detail/rootflow.hpp"
#include "steptree/options.hpp"

namespace steptree::detail {

/// Bytes of the engine's own structures. The library checks that they are enough.
struct NitroSizes {
    static constexpr std::size_t flow = 128;
    static constexpr std::size_t branch = 176;  // with the place of its values
    static constexpr std::size_t step = 64;
    static constexpr std::size_t loop = 72;
    static constexpr std::size_t parallel = 168;  // with what an all or any keeps
    static constexpr std::size_t timeout = 72;
    static constexpr std::size_t cancel = 32;
    static constexpr std::size_t signal = 32;
    static constexpr std::size_t await = 312;  // with what waits for it to stop
    static constexpr std::size_t stack = 32;
    static constexpr std::size_t sync = 536;  // with the values that it keeps, and what waits
    static constexpr std::size_t defer = 272;
    static constexpr std::size_t map = 288;  // with how it walks, and what becomes of its results
    static constexpr std::size_t retry = 2 * step + timeout + 16 + 128;
    static constexpr std::size_t end = 272;
    static constexpr std::size_t fixed = 96;
};

inline constexpr std::size_t kNitroAlign = 16;

/// The base of the limits.
struct AnyNitroLimit {};
template <std::size_t N>
struct NitroLimit : AnyNitroLimit {
    static constexpr std::size_t value = N;
};
template <class Limit>
inline constexpr bool isNitroLimit = std::is_base_of_v<AnyNitroLimit, Limit>;

template <template <std::size_t> class Limit, class Given>
struct IsLimit : std::false_type {};
template <template <std::size_t> class Limit, std::size_t N>
struct IsLimit<Limit, Limit<N>> : std::true_type {};

/// The one that is given.
template <template <std::size_t> class Limit, class... Given>
constexpr std::size_t nitroLimit(std::size_t otherwise) noexcept {
    static_assert((0 + ... + (IsLimit<Limit, Given>::value ? 1 : 0)) <= 1,
                  "a limit is given twice");
    ((otherwise = IsLimit<Limit, Given>::value ? Given::value : otherwise), ...);
    return otherwise;
}

/// The limits of one line.
struct NitroLine {
    std::size_t steps;
    std::size_t capture;
    std::size_t loops;
    std::size_t parallels;
    std::size_t timeouts;
    std::size_t cancels;
    std::size_t awaits;
    std::size_t stack;
    std::size_t syncs;
    std::size_t defers;
    std::size_t maps;
    std::size_t retries;
    std::size_t signals;

    static constexpr std::size_t rounded(std::size_t size) noexcept { return (size + 7) / 8 * 8; }

    constexpr std::size_t bytes() const noexcept {
        return steps * (NitroSizes::step + rounded(capture)) + loops * NitroSizes::loop +
               parallels * NitroSizes::parallel + timeouts * NitroSizes::timeout +
               cancels * (NitroSizes::cancel + rounded(capture)) +
               awaits * (NitroSizes::await + rounded(capture)) + stack + syncs * NitroSizes::sync +
               maps * NitroSizes::map + retries * NitroSizes::retry +
               defers * (NitroSizes::defer + rounded(capture)) + signals * NitroSizes::signal;
    }
    /// At most one of a kind a step.
    constexpr NitroLine of(std::size_t most) const noexcept {
        return {most,
                capture,
                std::min(loops, most),
                std::min(parallels, most),
                std::min(timeouts, most),
                std::min(cancels, most),
                std::min(awaits, most),
                stack,
                std::min(syncs, most),
                defers,
                std::min(maps, most),
                std::min(retries, most),
                std::min(signals, most)};
    }
};

/// How a NitroSteps divides its memory.
struct NitroPlan {
    static constexpr std::size_t aligned(std::size_t size) noexcept {
        return (size + kNitroAlign - 1) / kNitroAlign * kNitroAlign;
    }

    std::uint32_t root;     // bytes of the flow and its own line
    std::uint32_t region;   // bytes of a branch
    std::uint32_t regions;  // how many
    std::uint32_t ends;
    std::uint32_t capture;
    std::uint32_t slots;  // for completions

    static constexpr NitroPlan of(const NitroLine& line, std::size_t branches,
                                  std::size_t branchSteps, std::size_t dones) noexcept {
        const std::size_t root = aligned(NitroSizes::flow + line.bytes());
        const std::size_t region = aligned(NitroSizes::branch + line.of(branchSteps).bytes());
        const std::size_t waits = line.awaits > 0 ? 2 : 1;
        return {static_cast<std::uint32_t>(root),
                static_cast<std::uint32_t>(region),
                static_cast<std::uint32_t>(branches),
                static_cast<std::uint32_t>(dones),
                static_cast<std::uint32_t>(line.capture),
                static_cast<std::uint32_t>((1 + branches) * waits)};
    }

    constexpr std::size_t bytes() const noexcept {
        return root + std::size_t{region} * regions + NitroSizes::end * ends + NitroSizes::fixed;
    }
};

/// A flow in memory that the derived class has.
class STEPTREE_VISIBLE NitroFlow : public RootFlow {
  protected:
    NitroFlow() noexcept = default;

    void make(Tool& tool, void* memory, const NitroPlan& plan);
    void make(Tool& tool, void* memory, const NitroPlan& plan, Options options);
    void end() noexcept;
};

}  // namespace steptree::detail
