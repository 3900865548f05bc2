#pragma once

/// What C takes back: a pending callback of a tool, a listener, an observation.
struct steptree_handle {
    steptree_handle() = default;
    steptree_handle(const steptree_handle&) = delete;
    steptree_handle& operator=(const steptree_handle&) = delete;
    virtual ~steptree_handle() = default;

    virtual void cancel() noexcept = 0;
    virtual bool valid() const noexcept = 0;
};
