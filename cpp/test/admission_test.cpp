#include "steptree/detail/admission.hpp"

#include "catch.hpp"

using steptree::ThrottleAlgorithm;
using steptree::detail::Admission;

TEST_CASE("an entry that nobody could take is taken back", "[throttle]") {
    for (const auto algorithm :
         {ThrottleAlgorithm::fixed, ThrottleAlgorithm::sliding, ThrottleAlgorithm::bucket}) {
        Admission admission(algorithm, 2, 10, 2);
        CHECK(admission.admit(0));
        CHECK(admission.admit(0));
        CHECK_FALSE(admission.admit(0));
        admission.takeBack(0);
        CHECK(admission.admit(0));
        CHECK_FALSE(admission.admit(0));
    }
}

TEST_CASE("of sliding windows only the newest entry is taken back, wherever it stands",
          "[throttle]") {
    Admission admission(ThrottleAlgorithm::sliding, 3, 10, 3);
    for (const int now : {0, 1, 2, 10, 11}) CHECK(admission.admit(now));
    admission.takeBack(10);
    CHECK_FALSE(admission.admit(11));
    admission.takeBack(11);
    CHECK(admission.admit(11));
    CHECK_FALSE(admission.admit(11));
    CHECK(admission.delay(11) == 1);
}
