#pragma once

#include "handles.hpp"
#include "steptree/detail/adders.hpp"

namespace steptree::cabi {

/// The calls of C++ on whatever steps are added to.
class Sink final : public detail::BranchAdders<Sink> {
  public:
    explicit Sink(steptree_adder* to) noexcept : to_(from(to)) {}
    Sink(const Sink&) = delete;
    Sink& operator=(const Sink&) = delete;

    void addStep(const detail::StepSpec& spec) override { to_.addStep(spec); }
    void* addBare(const detail::ClosureOps& ops) override { return to_.addBare(ops); }
    void addDefined(const detail::Definition& definition) override { to_.addDefined(definition); }

  private:
    detail::StepSink& to_;
};

}  // namespace steptree::cabi
