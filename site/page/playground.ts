// The playground: an editor, a program that runs in a worker, and what it does beside it.

import type { Example } from '../make/examples.js';
import { loaded, notLoaded } from './load.js';
import { ask, brokenBy } from './playground/calls.js';
import { openEditor } from './playground/editor.js';
import type { Language } from './playground/language.js';
import type { Told } from './playground/moments.js';
import { Panel } from './playground/panel.js';
import { type Asked, packed, shared } from './playground/share.js';
import { startRunner } from './playground/thread.js';

const of = <T extends HTMLElement>(id: string) => document.querySelector<T>(`#${id}`)!;
const root = new URL('..', location.href);
const [run, stop, share] = ['run', 'stop', 'share'].map((id) => of<HTMLButtonElement>(id)) as [
  HTMLButtonElement,
  HTMLButtonElement,
  HTMLButtonElement,
];
const menu = of<HTMLSelectElement>('example');
const state = of('state');
const panel = new Panel();
const language = ask<Language>(new Worker(new URL('workers/language.js', root)));
const typed = language.load(new URL('playground/types.json', root).href);
typed.catch(() => {}); // who waits for it says so
const examples = await loaded<Example[]>(new URL('playground/examples.json', root)).catch(
  (failure): never => {
    state.textContent = notLoaded('The playground', failure);
    throw failure;
  },
);
let runner: Worker | undefined;

/** The example that the address asks for, or the first one. */
function example(): Asked {
  const wanted = new URLSearchParams(location.search).get('example');
  const { name, code } = examples.find(({ name }) => name === wanted) ?? examples[0]!;
  menu.value = name;
  return { code, words: 'Ready' };
}

menu.selectedIndex = -1;
const first = (await shared()) ?? example();
const editor = openEditor(of('editor'), first.code, language, () => void start());
const program = () => editor.state.doc.toString();

function replace({ code, words }: Asked): void {
  end(words);
  panel.clear();
  editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: code } });
}

/** The one before ends, whatever it does. */
function end(words: string): void {
  runner?.terminate();
  runner = undefined;
  stop.disabled = true;
  state.textContent = words;
}

async function start(): Promise<void> {
  end('Compiling');
  panel.clear();
  let url = '';
  let though = '';
  const own = (runner = startRunner(new URL('workers/runner.js', root)));
  stop.disabled = false;
  own.addEventListener('error', (event) => {
    event.preventDefault();
    if (runner === own) end(notLoaded('What runs a program', brokenBy(event)));
  });
  own.addEventListener('message', ({ data }: MessageEvent<readonly Told[] | 'over'>) => {
    if (data !== 'over') panel.tell(data);
    else {
      URL.revokeObjectURL(url);
      if (runner === own) state.textContent = `The module has been run${though}`;
    }
  });
  try {
    await typed;
    const code = program();
    const problems = await language.problems(code);
    const emitted = await language.emit(code, new URL('workers/watched.js', root).href);
    if (runner !== own) return;
    url = URL.createObjectURL(new Blob([emitted], { type: 'text/javascript' }));
    const [first] = problems;
    though = first ? `, though line ${first.line}: ${first.message}` : '';
    own.postMessage(url);
    state.textContent = `Running${though}`;
  } catch (failure) {
    if (runner === own) end(failure instanceof Error ? failure.message : String(failure));
  }
}

run.addEventListener('click', () => void start());
stop.addEventListener('click', () => end('Stopped'));
menu.addEventListener('change', () => {
  history.replaceState(null, '', `?example=${menu.value}`);
  replace(example());
});
share.addEventListener('click', async () => {
  try {
    history.replaceState(null, '', `#code=${await packed(program())}`);
    state.textContent = await navigator.clipboard.writeText(location.href).then(
      () => 'Copied',
      () => 'The address has it now',
    );
  } catch (failure) {
    state.textContent = (failure as Error).message;
  }
});
addEventListener('hashchange', async () => {
  const found = await shared(); // or a place in the page
  if (found === undefined) return;
  menu.selectedIndex = -1;
  replace(found);
});

run.disabled = false;
const loading = 'Loading the types';
if (first.code !== '') state.textContent = loading;
else state.textContent = first.words;
const types = await typed.then(
  () => first.words,
  (failure) => notLoaded('The types', failure),
);
if (state.textContent === loading) state.textContent = types;
