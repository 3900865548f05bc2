#include "steptree/state.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "error.hpp"
#include "flowextras.hpp"

namespace steptree::detail {

namespace {

const std::string kAbsent;

template <class... T>
constexpr std::array<const TypeDesc*, sizeof...(T)> descsOf() {
    return {&TypeDescOf<T>::desc...};
}

constexpr auto kKnown =
    descsOf<std::string, int, bool, long, unsigned, unsigned long, double, long long, float,
            unsigned long long, short, unsigned short, char, signed char, unsigned char, wchar_t,
            char8_t, char16_t, char32_t, long double, std::vector<std::string>>();

/// Most are told apart without a look at their names.
bool isAlike(const TypeDesc& one, const TypeDesc& other) noexcept {
    return one.size == other.size && one.align == other.align &&
           (one.destroy == nullptr) == (other.destroy == nullptr) && sameType(&one, &other);
}

/// The runtime's own description of that type, if it has one, so that a value may outlive the
/// plug-in that it came from; else the given one. [model-131]
const TypeDesc& knownOr(const TypeDesc& given) noexcept {
    const auto known = std::find_if(kKnown.begin(), kKnown.end(),
                                    [&](const TypeDesc* one) { return isAlike(*one, given); });
    return known == kKnown.end() ? given : **known;
}

}  // namespace

StateImpl::~StateImpl() {
    clear();
}

/// Destructors may use it.
void StateImpl::clear() {
    while (!entries_.empty()) erase(std::prev(entries_.end()));
}

bool StateImpl::has(std::string_view key) const noexcept {
    return entries_.find(key) != entries_.end();
}

void StateImpl::erase(std::string_view key) {
    const auto entry = entries_.find(key);
    if (entry != entries_.end()) erase(entry);
}

void StateImpl::drop(const Entry& entry) noexcept {
    if (entry.type->destroy != nullptr) entry.type->destroy(entry.value);
    ::operator delete(entry.value, std::align_val_t(entry.type->align));
}

void StateImpl::erase(Entries::iterator entry) noexcept {
    const Entry gone = entry->second;
    entries_.erase(entry);
    drop(gone);
}

void* StateImpl::lookup(std::string_view key, const TypeDesc** type) noexcept {
    const auto entry = entries_.find(key);
    if (entry == entries_.end()) return nullptr;
    *type = entry->second.type;
    return entry->second.value;
}

/// In the place of what the key had, which stays if there is no memory. Of one type the first
/// description stays: what a plug-in writes into a key of its host's outlives the plug-in.
void* StateImpl::insert(std::string_view key, const TypeDesc& given, void* from) {
    auto entry = entries_.find(key);
    const bool absent = entry == entries_.end();
    const TypeDesc* const kept = absent ? nullptr : entry->second.type;
    const TypeDesc& type = kept != nullptr && sameType(kept, &given) ? *kept : knownOr(given);
    const auto free = [&type](void* value) {
        ::operator delete(value, std::align_val_t(type.align));
    };
    std::unique_ptr<void, decltype(free)> value(
        ::operator new(type.size, std::align_val_t(type.align)), free);
    if (absent) entry = entries_.emplace(std::string(key), Entry{&type, nullptr}).first;
    try {
        type.move(value.get(), from);
    } catch (...) {
        if (absent) entries_.erase(entry);
        throw;
    }
    void* const placed = value.release();
    const Entry old = std::exchange(entry->second, Entry{&type, placed});
    if (!absent) drop(old);  // its destructor may do anything to these
    return placed;
}

ErrorData* StateImpl::error() const noexcept {
    const EngineShare& share = flow_.share();
    return share.errorFlow == &flow_ ? share.error : nullptr;
}

const std::string& StateImpl::errorInfo() const noexcept {
    const ErrorData* passing = error();
    return passing != nullptr ? passing->info : kAbsent;
}

std::exception_ptr StateImpl::lastException() const {
    ErrorData* passing = error();
    return passing != nullptr ? exceptionOf(*passing) : nullptr;
}

const std::string& StateImpl::asyncStack() const noexcept {
    const ErrorData* passing = error();
    if (passing == nullptr) return kAbsent;
    passing->describe();
    return passing->path;
}

const StepError* StateImpl::lastError() const {
    ErrorData* passing = error();
    if (passing == nullptr) {
        last_.reset();
        return nullptr;
    }
    passing->refs.add();
    last_.emplace(ErrorRef(passing));
    return &*last_;
}

}  // namespace steptree::detail
