#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <functional>

#include "catch.hpp"

/// Whatever recurses over a million levels ends here.
namespace smallstack {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr std::size_t kStack = 1024 * 1024;  // sanitized frames are large
inline constexpr std::int64_t kDepth = 200'000;
#else
inline constexpr std::size_t kStack = 256 * 1024;
inline constexpr std::int64_t kDepth = 1'000'000;
#endif

inline void run(std::function<void()> act) {
    pthread_attr_t attributes;
    REQUIRE(pthread_attr_init(&attributes) == 0);
    REQUIRE(pthread_attr_setstacksize(&attributes, kStack) == 0);
    pthread_t thread{};
    const auto call = [](void* what) -> void* {
        (*static_cast<std::function<void()>*>(what))();
        return nullptr;
    };
    REQUIRE(pthread_create(&thread, &attributes, call, &act) == 0);
    REQUIRE(pthread_join(thread, nullptr) == 0);
    pthread_attr_destroy(&attributes);
}

}  // namespace smallstack
