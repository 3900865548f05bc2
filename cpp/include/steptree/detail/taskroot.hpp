#pragma once

#include <cstdint>
#include <new>
#include <utility>

#include "steptree/detail/taskpromise.hpp"

namespace steptree::detail {

/// What a step keeps of the coroutine that its body has returned.
template <class T>
class TaskRoot {
  public:
    using Value = T;

    explicit TaskRoot(steptree::Task<T>&& task) : task_(std::move(task)) {
        task_.check();
        task_.begin(run_, nullptr);
    }
    TaskRoot(const TaskRoot&) = delete;
    TaskRoot& operator=(const TaskRoot&) = delete;

    /// Those that are not over, from the innermost outwards.
    ~TaskRoot() {
        while (TaskBase* const task = run_.innermost) {
            run_.innermost = task->outer();
            task->destroy();
        }
    }

    static const ClosureOps& ops() noexcept {
        static constexpr std::uint16_t size = sizeof(TaskRoot);
        static constexpr ClosureOps made{size, size, false, &construct, &destroy, &call};
        static_assert(alignof(TaskRoot) <= alignof(void*) && size % alignof(void*) == 0);
        return made;
    }

  private:
    static void construct(void* to, void* from) {
        ::new (to) TaskRoot(std::move(*static_cast<steptree::Task<T>*>(from)));
    }
    static void destroy(void* root) { static_cast<TaskRoot*>(root)->~TaskRoot(); }
    static void call(IAsyncSteps& asi, void* closure, CallArgs& args) noexcept {
        guarded(asi, [&] {
            static_cast<TaskRoot*>(closure)->goOn(asi, static_cast<Resumption&>(args));
        });
    }

    void goOn(IAsyncSteps& asi, Resumption& how) {
        run_.asi = &asi;
        run_.error = how.error;
        run_.values.clear();
        if (how.values != nullptr) run_.values = std::move(*how.values);
        how.isOver = run_.go();
        if (how.isOver) promise().giveTo(how.result);
    }

    TaskPromise<T>& promise() noexcept { return static_cast<TaskPromise<T>&>(task_.task()); }

    TaskRun run_;
    steptree::Task<T> task_;
};

}  // namespace steptree::detail
