#include "remotesettlement.hpp"

#include <memory>
#include <utility>

#include "steptree/detail/slots.hpp"

namespace steptree::detail {

namespace {

static_assert(alignof(RemoteSettlement) >= Slot::kStates);

/// Stands for a settlement that there was no memory for.
RemoteSettlement* lost() noexcept {
    alignas(RemoteSettlement) static char mark;
    return reinterpret_cast<RemoteSettlement*>(&mark);
}

}  // namespace

RemoteSettlement* pack(Settlement& settlement) noexcept {
    if (settlement.kind == Settlement::ok && settlement.values == nullptr) return nullptr;
    try {
        auto remote = std::make_unique<RemoteSettlement>();
        remote->code = settlement.code;
        remote->info = settlement.info;
        remote->settlement = {
            settlement.kind,  nullptr, remote->code, remote->info, std::move(settlement.cause),
            settlement.source};
        if (settlement.values != nullptr) {
            remote->values = std::move(*settlement.values);
            remote->settlement.values = &remote->values;
        }
        return remote.release();
    } catch (...) {
        return lost();
    }
}

bool isOk(const RemoteSettlement* remote) noexcept {
    return remote == nullptr || (remote != lost() && remote->settlement.kind == Settlement::ok);
}

void dropRemote(RemoteSettlement* remote) noexcept {
    if (remote != lost()) delete remote;
}

Arrival::Arrival(RemoteSettlement* remote) noexcept
    : remote_(remote), isBare_(remote == nullptr || remote == lost()) {
    if (remote == lost()) {
        bare_ = {Settlement::error, nullptr, errors::InternalError, "out of memory"};
    }
}

}  // namespace steptree::detail
