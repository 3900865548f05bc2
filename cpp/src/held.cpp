#include "held.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>

#include "flowextras.hpp"
#include "ids.hpp"
#include "path.hpp"
#include "step.hpp"

namespace steptree::detail {

namespace {

bool isWithin(char c) noexcept {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;  // of a character of UTF-8
}

/// Its beginning.
std::string_view beginOf(std::string_view text, std::size_t most) noexcept {
    if (text.size() <= most) return text;
    while (most > 0 && isWithin(text[most])) --most;
    return text.substr(0, most);
}

/// Text that grows at its front, as far as there is room.
template <std::size_t kRoom>
class Front {
  public:
    /// False: what was there before is its end.
    bool put(std::string_view text) noexcept {
        const std::size_t room = static_cast<std::size_t>(at_ - all_.data());
        const std::size_t size = std::min(room, text.size());
        at_ -= size;
        std::memcpy(at_, text.data() + text.size() - size, size);
        return size == text.size();
    }
    /// There is more before it.
    void leaveOut() noexcept {
        constexpr std::string_view kMore = "…";
        at_ = std::max(at_, all_.data() + kMore.size());
        while (at_ != all_.data() + kRoom && isWithin(*at_)) ++at_;
        put(kMore);
    }
    std::string_view text() const noexcept {
        return {at_, static_cast<std::size_t>(all_.data() + kRoom - at_)};
    }

  private:
    std::array<char, kRoom> all_;
    char* at_ = all_.data() + kRoom;
};

template <std::size_t kRoom>
bool putElement(Front<kRoom>& path, Step& step) noexcept {
    const ElementParts element = elementAt(step);
    std::array<char, 20> digits;
    std::string_view text = element.name;
    if (text.empty()) {
        char* const end =
            std::to_chars(digits.data(), digits.data() + digits.size(), element.number).ptr;
        text = {digits.data(), static_cast<std::size_t>(end - digits.data())};
    }
    const char sign = signOf(element.kind);
    return path.put(text) && (sign == 0 || path.put({&sign, 1}));
}

/// As pathOf(), without memory.
template <std::size_t kRoom>
void putPath(Front<kRoom>& path, Step& from) noexcept {
    for (Step* step = &shown(from); step != nullptr;) {
        Step* const around = outwards(*step);
        if (!putElement(path, *step) || (around != nullptr && !path.put("/")))
            return path.leaveOut();
        step = around;
    }
}

}  // namespace

void HeldBody::writeText(std::size_t word, std::string_view text) noexcept {
    for (std::size_t at = 0; at < text.size(); at += sizeof(std::int64_t)) {
        std::int64_t part = 0;
        std::memcpy(&part, text.data() + at, std::min(sizeof part, text.size() - at));
        write(word++, part);
    }
}

/// A number costs a flow without options memory, so it has none here.
void HeldBody::begins(Step& step, std::int64_t began) noexcept {
    Flow& flow = *step.line->flow;
    const FlowExtras* const extras = flow.flowExtras();
    std::string_view name;
    if (extras != nullptr && extras->options != nullptr)
        name = beginOf(extras->options->name, kName);
    Front<kPath> path;
    putPath(path, step);
    const std::uint64_t version = version_.load(std::memory_order_relaxed);
    version_.store(version + 1, std::memory_order_relaxed);
    write(0, began);
    write(1, extras != nullptr ? static_cast<std::int64_t>(idOf(flow)) : 0);
    write(2, static_cast<std::int64_t>(name.size() << 32 | path.text().size()));
    writeText(kTexts, name);
    writeText(kTexts + kName / 8, path.text());
    version_.store(version + 2, std::memory_order_release);
}

void HeldBody::ends() noexcept {
    const std::uint64_t version = version_.load(std::memory_order_relaxed);
    version_.store(version + 1, std::memory_order_relaxed);
    write(0, 0);
    version_.store(version + 2, std::memory_order_release);
}

bool HeldBody::read(std::int64_t began, StuckBody& into) const {
    const std::uint64_t version = version_.load(std::memory_order_acquire);
    std::array<std::int64_t, kWords> words;
    for (std::size_t i = 0; i < kWords; ++i) words[i] = words_[i].load(std::memory_order_acquire);
    const bool isWhole = version % 2 == 0 && version_.load(std::memory_order_relaxed) == version;
    if (!isWhole || words[0] != began) return false;
    const auto sizes = static_cast<std::uint64_t>(words[2]);
    const auto* const texts = reinterpret_cast<const char*>(words.data() + kTexts);
    into.flow = static_cast<std::uint64_t>(words[1]);
    into.name.assign(texts, sizes >> 32);
    into.path.assign(texts + kName, sizes & 0xFFFFFFFFU);
    return true;
}

}  // namespace steptree::detail
