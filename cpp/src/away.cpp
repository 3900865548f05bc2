#include "away.hpp"

#include <memory>

#include "steptree/detail/slots.hpp"

namespace steptree::detail {

namespace {

static_assert(alignof(Away) >= Slot::kStates);

/// Stands for a settlement that there was no memory for.
Away* lost() noexcept {
    alignas(Away) static char mark;
    return reinterpret_cast<Away*>(&mark);
}

}  // namespace

Away* pack(Settlement& settlement) noexcept {
    if (settlement.kind == Settlement::ok && settlement.values == nullptr) return nullptr;
    try {
        auto away = std::make_unique<Away>();
        away->code = settlement.code;
        away->info = settlement.info;
        away->settlement = {settlement.kind, nullptr,          away->code,
                            away->info,      settlement.cause, settlement.source};
        if (settlement.values != nullptr) {
            away->values = std::move(*settlement.values);
            away->settlement.values = &away->values;
        }
        return away.release();
    } catch (...) {
        return lost();
    }
}

bool isOk(const Away* away) noexcept {
    return away == nullptr || (away != lost() && away->settlement.kind == Settlement::ok);
}

void dropAway(Away* away) noexcept {
    if (away != lost()) delete away;
}

Arrival::Arrival(Away* away) noexcept : away_(away), isBare_(away == nullptr || away == lost()) {
    if (away == lost()) {
        bare_ = {Settlement::error, nullptr, errors::InternalError, "out of memory"};
    }
}

}  // namespace steptree::detail
