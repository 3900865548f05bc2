// Plug-ins in C, C++ and Rust as steps of JavaScript. An entry point of its own, `steptree/native`, for Node: nothing else knows of it, and
// what it has is that of `steptree-native`, a package that users install themselves.
//
//     import { run } from 'steptree';
//     import { load } from 'steptree/native';
//
//     const greeter = await load<{ greet(name: string): string }>('./greeter.so');
//     const hello = await run(greeter.step('greet', 'Ada').timeout(500));

export * from 'steptree-native';
