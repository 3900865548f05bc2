#if !__has_include(<catch2/catch_all.hpp>)
#define CATCH_CONFIG_RUNNER
#endif
#include "catch.hpp"

#ifdef __SANITIZE_THREAD__
/// Exceptions are counted inside of libstdc++, where no sanitizer looks: who frees one seems to
/// race with the threads that have read it before.
extern "C" const char* __tsan_default_suppressions() {
    return "race:std::__exception_ptr::exception_ptr::_M_release\n";
}
#endif

int main(int argc, char* argv[]) {
    return Catch::Session().run(argc, argv);
}
