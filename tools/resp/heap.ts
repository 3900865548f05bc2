// Loaded into a server before its own code: tells whoever has started it what is in use after a collection, in bytes.

process.on('message', () => {
  (globalThis as { gc?: () => void }).gc!();
  process.send!(process.memoryUsage().heapUsed);
});
// Asking isn't what the server lives for.
process.channel!.unref();
