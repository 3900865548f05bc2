// The editor: CodeMirror, which asks the language worker for problems, completions and types.

import { autocompletion, closeBrackets, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language';
import { type Diagnostic, linter, lintGutter, lintKeymap } from '@codemirror/lint';
import {
  EditorView,
  highlightActiveLine,
  hoverTooltip,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { h } from '../dom.js';
import type { Asked } from './calls.js';
import type { Language } from './language.js';

const colors = HighlightStyle.define([
  { tag: [tags.keyword, tags.bool, tags.null, tags.self], color: 'var(--word)' },
  { tag: [tags.string, tags.regexp], color: 'var(--string)' },
  { tag: [tags.number, tags.typeName], color: 'var(--number)' },
  {
    tag: [tags.propertyName, tags.function(tags.variableName), tags.definition(tags.variableName)],
    color: 'var(--name)',
  },
  { tag: tags.comment, color: 'var(--quiet)' },
]);

const theme = EditorView.theme({
  '&': { border: '1px solid var(--quiet)', backgroundColor: 'var(--ground)', color: 'var(--text)' },
  '&.cm-focused': { outline: '2px solid var(--accent)' },
  '.cm-scroller': { fontFamily: 'ui-monospace, monospace', maxHeight: '70vh', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--raised)', color: 'var(--quiet)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--select) !important',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    color: 'var(--text)',
    border: '1px solid var(--quiet)',
    maxWidth: '40rem',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--select)',
    color: 'var(--text)',
  },
  '.cm-panels': { backgroundColor: 'var(--raised)', color: 'var(--text)' },
});

const typeOf = (kind: string) => (/method|function/.test(kind) ? 'function' : 'variable');

function asked(language: Asked<Language>) {
  const problems = linter(async ({ state }): Promise<Diagnostic[]> => {
    const found = await language.problems(state.doc.toString());
    const { length } = state.doc;
    return found.map(({ from, to, message }) => {
      return { from: Math.min(from, length), to: Math.min(to, length), severity: 'error', message };
    });
  });
  const types = hoverTooltip(async ({ state }, at) => {
    const found = await language.hover(state.doc.toString(), at);
    if (found === undefined) return null;
    const dom = h('div', { className: 'type' }, h('code', {}, found.code), h('p', {}, found.words));
    return { pos: found.from, end: found.to, create: () => ({ dom }) };
  });
  const completion = autocompletion({
    override: [
      async ({ state, pos, explicit, matchBefore }) => {
        const word = matchBefore.call({ state, pos } as any, /[\w$]*/)!;
        const before = state.sliceDoc(word.from - 1, word.from);
        if (word.from === word.to && before !== '.' && !explicit) return null;
        const found = await language.completions(state.doc.toString(), pos);
        const options = found.map(({ label, kind }) => ({ label, type: typeOf(kind) }));
        return { from: word.from, options, validFor: /^[\w$]*$/ };
      },
    ],
  });
  return [problems, lintGutter(), types, completion];
}

export function openEditor(
  parent: Element,
  doc: string,
  language: Asked<Language>,
  run: () => void,
): EditorView {
  const runs = {
    key: 'Mod-Enter',
    run() {
      run();
      return true;
    },
  };
  const extensions = [
    keymap.of([runs, ...completionKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap]),
    lineNumbers(),
    history(),
    highlightActiveLine(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    javascript({ typescript: true }),
    syntaxHighlighting(colors),
    theme,
    EditorView.contentAttributes.of({ 'aria-label': 'Program', tabindex: '0' }),
    ...asked(language),
  ];
  return new EditorView({ parent, doc, extensions });
}
