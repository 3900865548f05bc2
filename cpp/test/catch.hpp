#pragma once

#include <random>

// Catch2 version 3 and version 2 name their header and their seed differently.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
inline unsigned givenSeed() {
    return Catch::getSeed();
}
#else
#include <catch2/catch.hpp>
inline unsigned givenSeed() {
    return Catch::rngSeed();
}
#endif

/// The seed of --rng-seed, else a random one. A test that uses it prints it.
inline unsigned testSeed() {
    const unsigned given = givenSeed();
    return given != 0 ? given : std::random_device()();
}
