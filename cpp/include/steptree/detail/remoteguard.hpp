#pragma once

#include <cstdint>
#include <forward_list>
#include <memory>
#include <string>
#include <string_view>

#include "steptree/abi.hpp"
#include "steptree/detail/holds.hpp"
#include "steptree/guard.hpp"
#include "steptree/iasyncsteps.hpp"
#include "steptree/unlimited.hpp"

/// Guards whose places are given elsewhere: what a line, a section and a snapshot have to do with
/// that, without knowing who gives them.
namespace steptree::detail {

class RemoteGuard;
struct RemoteLines;
struct RemoteWait;
struct PlaceState;

/// What a line asks for: so many places, or none and an entry only. Whoever gives it calls it from
/// any thread, whenever that is heard, also when nobody waits for it any more, or the guard is
/// gone.
class STEPTREE_VISIBLE RemotePlace : public std::enable_shared_from_this<RemotePlace> {
  public:
    RemotePlace(std::int64_t count, bool isInside) noexcept;
    RemotePlace(const RemotePlace&) = delete;
    RemotePlace& operator=(const RemotePlace&) = delete;
    virtual ~RemotePlace();

    const std::int64_t count;
    /// Lines around it have places: who waits for several waits for these, too.
    const bool isInside;

    /// Lets its line in; false if that doesn't wait any more. `token`: says that it's newer than
    /// others; empty: it doesn't.
    bool grant(std::string token) noexcept;
    /// Its line fails; `retryAfter` in milliseconds, -1: not known.
    void refuse(std::string_view code, const char* why, std::int64_t retryAfter = -1) noexcept;
    /// Its section fails, if that hasn't closed. Once. `why` is for ever.
    void lose(const char* why) noexcept;

  private:
    friend RemoteGuard;
    friend RemoteLines;

    std::unique_ptr<PlaceState> state_;
};

/// Who gives places and entries. Called by the threads of flows, which it must not hold up. Each
/// place that was asked for is given up or back exactly once, by `left` or by `free`, unless it
/// was refused, or grant() was told so.
class STEPTREE_VISIBLE RemoteSource {
  public:
    RemoteSource(std::int64_t most, bool rated) noexcept : max(most), isRated(rated) {}
    RemoteSource(const RemoteSource&) = delete;
    RemoteSource& operator=(const RemoteSource&) = delete;
    virtual ~RemoteSource();

    const std::int64_t max;  // places; kUnlimited: nobody needs any
    const bool isRated;      // each section needs an entry, too

    virtual std::shared_ptr<RemotePlace> make(std::int64_t count, bool isInside) = 0;
    virtual void ask(RemotePlace& place) noexcept = 0;
    /// Its line doesn't wait any more.
    virtual void left(RemotePlace& place) noexcept = 0;
    /// Nobody has it any more. Any thread.
    virtual void free(RemotePlace& place) noexcept = 0;
    /// The guard goes: what something abandoned has kept goes back, too. Any thread.
    virtual void close() noexcept = 0;
};

/// One that is kept elsewhere. For flows of any threads.
class STEPTREE_VISIBLE RemoteGuard : public Guard {
  public:
    RemoteGuard(const RemoteGuard&) = delete;
    RemoteGuard& operator=(const RemoteGuard&) = delete;

    /// How many lines of this process wait.
    std::int64_t waiting() const;
    /// As it was given.
    const std::string& name() const noexcept { return name_; }

  protected:
    /// `kind`: what errors call it.
    RemoteGuard(const char* kind, std::string name, Abandoned abandoned,
                std::shared_ptr<RemoteSource> source);
    virtual ~RemoteGuard();

    /// A guard whose sections take `n` places at once; it lives as long as this one.
    Guard& several(std::int64_t n);
    /// Null: neither the line nor one around it has a place.
    const std::string* tokenOf(IAsyncSteps& asi, const char* call) const;

    RemoteSource& source() const noexcept { return *source_; }

    static Line& lineOf(Step& lock) noexcept;
    bool has(Line& line) const noexcept;
    bool hasAround(Line& line) const noexcept;
    /// The line has it with nobody having been asked.
    void take(Line& line);
    /// A line that has places is let in at once; any other one has to ask, as does each for an
    /// entry.
    bool admit(Line& line, std::int64_t count) noexcept;
    void wait(Step& lock, std::int64_t count);

  private:
    friend KeyAccess;
    friend RemoteWait;
    class Several;

    friend RemotePlace;
    /// What errors call it.
    virtual const char* blamed() const noexcept { return kind_; }
    /// Why the line would wait for those around it, or for itself; null: it wouldn't.
    virtual const char* deadlock(Line& line, std::int64_t count) const noexcept;
    bool admit(Line& line) noexcept override { return admit(line, 1); }
    void wait(Step& lock) override { wait(lock, 1); }
    void leave(Step& section, const Why& why) noexcept override;
    KeptPlace* keep(Line& line) noexcept override;
    void show(GuardLook& look) override;

    bool isNew(std::int64_t now) noexcept;
    void giveUp(RemoteWait& wait) noexcept;
    void gone(RemoteWait& wait) noexcept;
    void leave(Line& line) noexcept;
    void free(KeptHold& kept) noexcept;

    const char* const kind_;
    const std::string name_;
    const std::shared_ptr<RemoteSource> source_;
    const std::shared_ptr<RemoteLines> lines_;
    Keeps keeps_;
    std::forward_list<Several> several_;  // as many as there are different numbers
};

}  // namespace steptree::detail
