#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "world.hpp"

namespace faults {

using Trace = std::vector<std::string>;

/// The flows of the cases end soon when they are cancelled: no cleanup of theirs is endless.
inline bool endsWhenCancelled = false;

/// One run of a case in which allocation number `k` fails.
struct Attempt {
    conformance::MakeFlow makeFlow;
    const conformance::Json& program;
    std::size_t k;
    std::size_t times;  // how many fail, from that one on
    conformance::Then then;

    /// The trace of a run in which nothing fails, but that may be stopped as the others may.
    static Trace undisturbed(conformance::MakeFlow makeFlow, const conformance::Json& program);

    /// False: the case makes do with less than `k` allocations. Throws what is wrong with the end.
    bool run(const Trace& normal) const;

  private:
    std::size_t runAndCompare(const Trace& normal) const;
};

/// The attempt that runs, for messages of a program that ends in it.
const char* running() noexcept;

}  // namespace faults
