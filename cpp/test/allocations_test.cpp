#include "allocations.hpp"

#include <string>

#include "catch.hpp"

TEST_CASE("allocations are counted", "[memory]") {
    const std::size_t before = allocations::count();
    const std::string text(100, 'x');
    CHECK(allocations::count() == before + 1);
}
