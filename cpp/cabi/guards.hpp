#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "functions.hpp"
#include "steptree/detail/keyguard.hpp"
#include "steptree/guard.hpp"
#include "steptree/isync.hpp"

/// A guard as C has it: one of the library, or of the program's own. A call that its kind doesn't
/// have is misuse.
struct steptree_guard {
    steptree_guard() = default;
    steptree_guard(const steptree_guard&) = delete;
    steptree_guard& operator=(const steptree_guard&) = delete;
    virtual ~steptree_guard() = default;

    virtual steptree::Guard* guard() noexcept { return nullptr; }
    virtual steptree::ISync* own() noexcept { return nullptr; }
    virtual steptree_guard_reading read() const { refuse("read"); }
    virtual void open() { refuse("open"); }
    virtual void close() { refuse("close"); }
    virtual void wait(steptree::IAsyncSteps&) { refuse("wait"); }
    virtual steptree_guard& side(bool) { refuse("read_side or write_side"); }
    virtual steptree_guard& places(std::int64_t) { refuse("places"); }

  protected:
    [[noreturn]] static void refuse(const char* call) {
        throw steptree::StepError(steptree::errors::InternalError,
                                  std::string("a guard of another kind has no ") + call);
    }
};

struct steptree_keyed {
    steptree_keyed() = default;
    steptree_keyed(const steptree_keyed&) = delete;
    steptree_keyed& operator=(const steptree_keyed&) = delete;
    virtual ~steptree_keyed() = default;

    virtual steptree::KeyedGuard of(const std::string& key) = 0;
    virtual std::int64_t size() const = 0;
    /// Nothing: there is none.
    virtual std::optional<steptree_guard_reading> read(const std::string& key) const = 0;
};

namespace steptree::cabi {

/// Gives `use` what a section locks.
template <class Use>
void withGuard(steptree_guard& of, Use use) {
    if (Guard* const guard = of.guard()) return use(*guard);
    if (ISync* const own = of.own()) return use(*own);
    misuse("sync: a barrier is waited at, of an rwlock a side is locked");
}

/// See keyed.cpp.
const steptree_error* makeKeyed(std::uint32_t kind, steptree_key_options options, void* data,
                                void (*drop)(void*), steptree_keyed** into);

}  // namespace steptree::cabi
