#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "json.hpp"

namespace steptree::detail::inspecting {

/// What the last 30 seconds were like, in pieces of 250 ms. A ring: a piece is emptied when its
/// time comes.
class Lately {
  public:
    static constexpr std::int64_t kMs = 250;
    static constexpr std::int64_t kCount = 120;

    struct Piece {
        std::uint64_t begun = 0;
        std::uint64_t ended = 0;
        std::uint64_t failed = 0;
        double busy = 0;  // ms in turns
        double longest = 0;
    };

    /// That of now. Those in which nothing happened are emptied on the way.
    Piece& at(double now) noexcept;
    /// A turn, in each piece that it was in.
    void turn(double began, double now) noexcept;
    void show(Json& json, double now);

  private:
    Piece& piece(std::int64_t number) noexcept {
        return pieces_[static_cast<std::size_t>(number % kCount)];
    }

    std::array<Piece, kCount> pieces_{};
    std::int64_t last_ = 0;  // the number of the newest one
};

}  // namespace steptree::detail::inspecting
