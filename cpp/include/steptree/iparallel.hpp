#pragma once

#include "steptree/abi.hpp"
#include "steptree/detail/adders.hpp"

namespace steptree {

/// The branches of one parallel step: what `parallel()` returns. Each adder makes one branch; they
/// start in this order, when the step starts, without arguments. Valid as long as its maker may add
/// steps and the step has not started; later calls throw InternalError, and once the step has
/// closed the reference dangles. Guide: docs/many-at-once.md#all-of-them
///
///     IParallel& both = asi.parallel();
///     both.add(warmCache).add(openSocket);
class STEPTREE_VISIBLE IParallel : public detail::BranchAdders<IParallel> {
  protected:
    ~IParallel() = default;
};

}  // namespace steptree
