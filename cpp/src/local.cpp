#include "local.hpp"

#include "completion.hpp"
#include "misuse.hpp"
#include "ontool.hpp"

/// They stand among the extras of the step that has set them, so who sets none pays nothing.
namespace steptree::detail {

namespace {

LocalExtra* ownLocal(const Step& step, const void* local) noexcept {
    for (Extra* extra = step.extras; extra != nullptr; extra = extra->next) {
        if (extra->type != Extra::local) continue;
        auto& known = static_cast<LocalExtra&>(*extra);
        if (known.local == local) return &known;
    }
    return nullptr;
}

const Step* around(const Step& step) noexcept {
    if (step.parent != nullptr) return step.parent;
    return step.line->isBranch() ? static_cast<const Branch*>(step.line)->host : nullptr;
}

}  // namespace

void destroyLocal(LocalExtra& extra) noexcept {
    if (extra.desc->destroy != nullptr) extra.desc->destroy(extra.value());
}

Extra* takeReadable(Step& step) noexcept {
    Extra* taken = nullptr;
    Extra** last = &taken;
    for (Extra** at = &step.extras; *at != nullptr;) {
        Extra* const extra = *at;
        if (extra->type != Extra::local && extra->type != Extra::signal) {
            at = &extra->next;
            continue;
        }
        *at = std::exchange(extra->next, nullptr);
        *last = extra;
        last = &extra->next;
    }
    return taken;
}

void* Step::keepLocal(const void* local, const TypeDesc& type, void* from) {
    checkCall(*this, "Local::set");
    if (LocalExtra* const known = ownLocal(*this, local)) return known->value();
    const std::size_t slack = type.align > alignof(void*) ? type.align - alignof(void*) : 0;
    auto& made = newExtra<LocalExtra>(*this, Extra::local, type.size + slack);
    made.local = local;
    made.desc = &type;
    type.move(made.value(), from);
    link(*this, made);
    return nullptr;
}

const void* Step::findLocal(const void* local) const {
    checkThread(line->core(), "Local::get");
    if (phase == Phase::queued || phase == Phase::closed) {
        misuse("Local::get: the step is not open");
    }
    for (const Step* at = this; at != nullptr; at = around(*at)) {
        if (LocalExtra* const found = ownLocal(*at, local)) return found->value();
    }
    return nullptr;
}

}  // namespace steptree::detail
