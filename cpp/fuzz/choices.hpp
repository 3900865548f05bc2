#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace fuzz {

/// What an input decides, one byte a choice; at its end it is the first of what there is.
class Choices {
  public:
    Choices(const std::uint8_t* data, std::size_t size) noexcept : at_(data), end_(data + size) {}

    bool over() const noexcept { return at_ == end_; }
    std::size_t below(std::size_t count) noexcept { return over() ? 0 : *at_++ % count; }
    bool one(std::size_t in) noexcept { return below(in) == in - 1; }
    const char* of(std::initializer_list<const char*> names) noexcept {
        return names.begin()[below(names.size())];
    }

  private:
    const std::uint8_t* at_;
    const std::uint8_t* end_;
};

}  // namespace fuzz
