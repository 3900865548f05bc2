#pragma once

#include "error.hpp"
#include "tree.hpp"

/// The error that user code on the native stack is dealing with.
namespace steptree::detail {

/// Handlers may look at the error while this exists. Without one, they see what was in view before:
/// it is another flow's.
class View {
  public:
    View(Flow& flow, ErrorData* error) noexcept
        : share_(flow.share()), flow_(share_.errorFlow), error_(share_.error) {
        if (error == nullptr) return;
        if (!error->sorted) [[unlikely]]
            sortAlso(*error);
        share_.errorFlow = &flow;
        share_.error = error;
    }
    View(const View&) = delete;
    View& operator=(const View&) = delete;
    ~View() {
        share_.errorFlow = flow_;
        share_.error = error_;
    }

  private:
    EngineShare& share_;
    Flow* flow_;
    ErrorData* error_;
};

}  // namespace steptree::detail
