import { errors, run } from 'steptree';
import { search } from './search.js';

const [field, button, state, list] = ['input', 'button', 'output', 'ul'].map((name) =>
  document.querySelector(name),
);

const show = (words, lines) => {
  state.textContent = words;
  list.replaceChildren(
    ...lines.map((line) => Object.assign(document.createElement('li'), { textContent: line })),
  );
};

let last = new AbortController();
async function typed(text) {
  last.abort(); // one search at a time
  const { signal } = (last = new AbortController());
  show('searching', []);
  try {
    const lines = await run(search.with(text), { signal });
    show(`${lines.length} found`, lines);
  } catch (error) {
    if (error.code !== errors.Canceled) show(error.code ?? error.message, []);
    else if (signal === last.signal) show('cancelled', []);
  }
}

field.addEventListener('input', () => void typed(field.value));
button.addEventListener('click', () => last.abort());
window.addEventListener('pagehide', () => last.abort());
