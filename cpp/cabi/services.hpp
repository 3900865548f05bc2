#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "code.hpp"
#include "handles.hpp"

namespace steptree::cabi {

/// Whose a service is: that of a plug-in is offered as long as it takes calls.
struct Offerer {
    std::uint64_t generation = 0;  // 0: the host
    Code* code = nullptr;
};

/// What a host offers to its plug-ins. Any thread. What is offered no more is destroyed outside of
/// the lock: that may run code of anybody.
class Services {
    struct Offer {
        AnyStep step;
        Offerer by;
    };
    using Offers = std::map<std::string, Offer, std::less<>>;
    using Starting = std::map<std::uint64_t, Offers>;

  public:
    /// A call, which holds the plug-in whose service it is.
    struct Call {
        AnyStep step;
        Hold<HeldAs::step> hold;
    };
    /// What was offered, to be destroyed where no lock is held.
    struct Ended {
        Offers offers;
        Starting::node_type unseen;
    };

    /// InternalError for an empty name, and for a plug-in that takes no calls any more.
    void offer(std::string_view name, AnyStep step, const Offerer& by);
    void withdraw(std::string_view name, const Offerer& by);
    std::optional<Call> find(std::string_view name) const;

    /// A plug-in starts: nobody sees yet what it offers.
    void prepare(const Offerer& by);
    /// It takes calls: so do its services. What had their names ends.
    [[nodiscard]] Ended open(const Offerer& by) noexcept;
    /// It takes none: neither do they, when this returns.
    [[nodiscard]] Ended end(const Offerer& by) noexcept;
    /// The host goes.
    void clear() noexcept;

  private:
    /// Where what it offers stands; null: it may not.
    Offers* placeOf(const Offerer& by) noexcept;

    mutable std::mutex mutex_;
    Offers open_;
    Starting starting_;
    std::set<std::uint64_t> serving_;  // plug-ins that take calls, or start
    bool gone_ = false;
};

/// A step value that calls the service, if there is one when it runs.
AnyStep serviceStep(std::weak_ptr<const Services> of, std::string name);

}  // namespace steptree::cabi
