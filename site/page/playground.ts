// The playground: an editor, a program that runs in a worker, and what it does beside it.

import type { Example } from '../make/examples.js';
import { ask } from './playground/calls.js';
import { openEditor } from './playground/editor.js';
import type { Language } from './playground/language.js';
import type { Told } from './playground/moments.js';
import { Panel } from './playground/panel.js';
import { packed, unpacked } from './playground/share.js';

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
const examples: Example[] = await (await fetch(new URL('playground/examples.json', root))).json();
let runner: Worker | undefined;

/** What the address asks for: a program, an example, or the first one. */
async function asked(): Promise<string> {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  const wanted = new URLSearchParams(location.search).get('example');
  const shared = code === null ? undefined : await unpacked(code).catch(() => undefined);
  if (shared !== undefined) {
    menu.selectedIndex = -1;
    return shared;
  }
  const example = examples.find(({ name }) => name === wanted) ?? examples[0]!;
  menu.value = example.name;
  return example.code;
}

const editor = openEditor(of('editor'), await asked(), language, () => void start());
const program = () => editor.state.doc.toString();

function replace(code: string): void {
  end('');
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
  const own = (runner = new Worker(new URL('workers/runner.js', root), { type: 'module' }));
  stop.disabled = false;
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
    if (runner === own) end(String(failure));
  }
}

run.addEventListener('click', () => void start());
stop.addEventListener('click', () => end('Stopped'));
menu.addEventListener('change', () => {
  history.replaceState(null, '', `?example=${menu.value}`);
  replace(examples.find(({ name }) => name === menu.value)!.code);
});
share.addEventListener('click', async () => {
  history.replaceState(null, '', `#code=${await packed(program())}`);
  const copied = navigator.clipboard.writeText(location.href);
  state.textContent = await copied.then(
    () => 'Copied',
    () => 'The address has it now',
  );
});
addEventListener('hashchange', async () => replace(await asked()));

run.disabled = false;
state.textContent = 'Loading the types';
await typed;
if (state.textContent === 'Loading the types') state.textContent = 'Ready';
