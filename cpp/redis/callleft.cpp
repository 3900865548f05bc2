#include <algorithm>
#include <utility>

#include "caller.hpp"

/// Calls that are left.
namespace steptree::detail::redis {

void Caller::left(const Held& asked) noexcept {
    if (const Held held = take(asked->id)) cancel(held);
}

Caller::Held Caller::take(const std::string& id) noexcept {
    const auto node = calls_.extract(id);
    if (node.empty()) return nullptr;
    node.mapped()->patience.stop();
    return std::move(node.mapped());
}

void Caller::cancel(const Held& asked) noexcept {
    try {
        left_.emplace(asked->id, asked);
        cancel({&asked, 1});
    } catch (...) {
        restIfIdle();  // no memory: it is with a renewal, or when the session ends
    }
}

/// What is being sent stays till it has come there: then it comes once more.
void Caller::cancel(std::span<const Held> some) {
    for (std::size_t i = 0; i < some.size(); i += kAtOnce) {
        Ids ids;
        Ids sent;
        for (const Held& asked : some.subspan(i, std::min(kAtOnce, some.size() - i))) {
            ids.push_back(asked->id);
            if (!asked->isFlying) sent.push_back(asked->id);
        }
        script("calls/cancel", std::move(ids), {}, [this, sent = std::move(sent)](const Reply& is) {
            if (is.isError()) return;  // with the next renewal
            for (const std::string& id : sent) left_.erase(id);
            restIfIdle();
        });
    }
}

}  // namespace steptree::detail::redis
