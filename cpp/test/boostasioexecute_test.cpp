// The same tests, those of [thread] too, with Boost's Asio.
#define STEPTREE_TEST_BOOST
#include "asioexecute_test.cpp"
