// The thread that a program runs in.

/**
 * It's started from a blob, so that it has the page's policy: a program reaches no other site. A worker of an address has that
 * of the answer's headers, and a host of static files sends none.
 */
export function startRunner(script: URL): Worker {
  const source = `import ${JSON.stringify(script.href)};`;
  const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
  const worker = new Worker(url, { type: 'module' });
  // It has been read when anything comes of it.
  const forget = () => URL.revokeObjectURL(url);
  worker.addEventListener('message', forget, { once: true });
  worker.addEventListener('error', forget, { once: true });
  return worker;
}
