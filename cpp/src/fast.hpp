#pragma once

#include <string_view>

/// All fast paths of the engine: code that saves time and decides nothing. Without one of them the
/// general path, which is there anyway, does the same.
///
///     cmake --preset slow                                           without any
///     cmake --preset counts -B build/less -DSTEPTREE_FAST=kLoneStep         without that one
///     cmake --build build/less --target bench-steptree
///     npm run -s counts -- --program build/less/bench/cpp/bench-steptree    its figures
///
/// A figure is that of a row of bench/counts: instructions an operation with the path, and without.
/// A path that gains less than a hundredth on each row goes.
///
/// What a rule asks for is none, however quick it is: pools, crumbs and the first place of a guard
/// keep flows off the heap.
namespace steptree::detail {

#ifdef STEPTREE_FAST
constexpr bool isFast(std::string_view path) noexcept {
    constexpr std::string_view chosen = STEPTREE_FAST;
    return chosen != "OFF" && chosen != path;
}
#else
constexpr bool isFast(std::string_view) noexcept {
    return true;
}
#endif

#define STEPTREE_PATH(name) inline constexpr bool name = isFast(#name)

// ---- turns
STEPTREE_PATH(kLoneStep);   // a flow's first body ends it, or waits. simple: 251, 347
STEPTREE_PATH(kNextRound);  // a loop's turn is one iteration that waits. parallel_loops: 258, 428
STEPTREE_PATH(kClaimedOk);  // what a claim has noted is an ok. parallel: 562, 571
STEPTREE_PATH(kBareEnd);    // nobody asks how the flow ends. parallel: 562, 610
STEPTREE_PATH(kOwnedTurn);  // as kLoneStep, of a flow of its tool's. defined_start: 213, 684

// ---- bodies
STEPTREE_PATH(kBareOk);      // a body has left an ok. repeat_step: 196, 341
STEPTREE_PATH(kBareWait);    // a body has called waitExternal(). parallel_loops: 258, 354
STEPTREE_PATH(kQuietBody);   // no cancel, no look at the clock: one test. repeat: 45, 56
STEPTREE_PATH(kWholeLevel);  // plain steps run one after the other. repeat_step: 196, 290

// ---- loops
STEPTREE_PATH(kRounds);        // iterations follow each other in place. repeat: 45, 166
STEPTREE_PATH(kRoundSteps);    // and the plain steps of one. repeat_step: 196, 317
STEPTREE_PATH(kRoundSection);  // and its section. lock: 362, 475

// ---- branches
STEPTREE_PATH(kSameLine);  // the next one gets the line of one that is done. parallel10: 2853, 3801
STEPTREE_PATH(kBareItem);  // of a map: its first turn is its last. map: 572, 627

// ---- errors
STEPTREE_PATH(kBareFrames);    // frames that nobody hears of. error_nothrow: 1499, 1636
STEPTREE_PATH(kBareRecovery);  // a handler has called success() only. error_nothrow: 1499, 1539

// ---- sections
STEPTREE_PATH(kFreeGuard);    // a free guard needs no lock step. lock: 362, 490
STEPTREE_PATH(kHomeGuard);    // a mutex of that tool. lock: 362, 370
STEPTREE_PATH(kQuietWait);    // one that waits has no completion. lock_contended: 988, 1342
STEPTREE_PATH(kOverAtOnce);   // who is let in has no more to close. lock_contended: 944, 1026
STEPTREE_PATH(kBareSection);  // a body has left an ok. lock: 362, 413
STEPTREE_PATH(kFreeLeave);    // nobody waits for the mutex. lock: 362, 389

// ---- what is waited for
STEPTREE_PATH(kQuickOk);       // success() without values. parallel_loops: 258, 495
STEPTREE_PATH(kFirstTimer);    // no other one is around it. timer_cancel: 250, 284
STEPTREE_PATH(kRoomForTimer);  // nothing is called before it is armed. timer_cancel: 250, 262
STEPTREE_PATH(kLoneDeadline);  // disarmed, and nothing else in its place. timer_cancel: 250, 259

// ---- steps
STEPTREE_PATH(kPlainKind);     // most steps are: no look at the table. error_nothrow: 1525, 1550
STEPTREE_PATH(kNewBare);       // a body alone, copied as bytes. step: 93, 169
STEPTREE_PATH(kNewSection);    // the same of a section. lock: 362, 437
STEPTREE_PATH(kWordClosure);   // that is one word. lock: 362, 376
STEPTREE_PATH(kNothingOwned);  // is to be destroyed. step: 93, 100
STEPTREE_PATH(kOnlyExtras);    // are to be destroyed. timer_cancel: 250, 258

// ---- step values
STEPTREE_PATH(kBareParts);   // a part that is a body alone. defined_step: 32, 272
STEPTREE_PATH(kInnerSteps);  // a sequence in a sequence. defined_nested10: 1585, 3745

// ---- flows
STEPTREE_PATH(kKeptFlow);    // a flow that has gone is the next one. simple: 251, 438
STEPTREE_PATH(kBareStart);   // without `done`, on the tool's thread. simple: 251, 259
STEPTREE_PATH(kSmallArena);  // it has taken no block. simple: 251, 267

// ---- tools
STEPTREE_PATH(kLoneNode);   // a pass of one. simple: 251, 274
STEPTREE_PATH(kQuietPass);  // nothing is to be done between two callbacks. simple: 251, 294
STEPTREE_PATH(kIdleTool);   // without timers the clock isn't read. simple: 251, 343

// ---- time that is no instructions
STEPTREE_PATH(kTicks);     // the processor's in the place of the clock. deferred_cancel: 32 ns, 47
STEPTREE_PATH(kLoneTask);  // a callback without a second owner. deferred_cancel: 0 locked, 3

#undef STEPTREE_PATH

}  // namespace steptree::detail
