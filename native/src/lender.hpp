#pragma once

#include <node_api.h>

#include <cstddef>
#include <memory>
#include <mutex>

namespace steptree::native {

/// Objects of JavaScript that native values use: they are kept from its garbage collector. A value
/// may go on any thread, and after JavaScript has: what it has used is let go of on JavaScript's
/// thread, if that is still there.
class Lender : public std::enable_shared_from_this<Lender> {
  public:
    /// What stands in the place of an object.
    struct Loan {
        std::shared_ptr<Lender> lender;
        napi_ref object;
        Loan* next = nullptr;
    };

    explicit Lender(napi_env env) noexcept : env_(env) {}
    Lender(const Lender&) = delete;
    Lender& operator=(const Lender&) = delete;
    ~Lender() = default;

    /// Null: JavaScript refuses.
    Loan* lend(napi_value object);
    /// Any thread.
    static void giveBack(Loan* loan) noexcept;

    /// On JavaScript's thread, now and then: lets go of what has been given back.
    void collect() noexcept;
    /// JavaScript goes.
    void end() noexcept;
    /// How many are lent.
    std::size_t lent() const noexcept;

  private:
    mutable std::mutex mutex_;
    napi_env env_;  // null: it has gone
    std::size_t lent_ = 0;
    Loan* back_ = nullptr;  // have been given back
};

}  // namespace steptree::native
