/** Colours code when the site is made: no page needs a script for it. */
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import cmake from 'highlight.js/lib/languages/cmake';
import cpp from 'highlight.js/lib/languages/cpp';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';

const languages = { bash, cmake, cpp, json, python, rust, typescript, xml, yaml };
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

/** What a block of code, or a file by the end of its name, is written in. */
const aliases: Readonly<Record<string, keyof typeof languages>> = {
  c: 'cpp',
  cjs: 'typescript',
  cpp: 'cpp',
  h: 'cpp',
  hpp: 'cpp',
  html: 'xml',
  ipp: 'cpp',
  js: 'typescript',
  json: 'json',
  mjs: 'typescript',
  py: 'python',
  python: 'python',
  rs: 'rust',
  rust: 'rust',
  sh: 'bash',
  ts: 'typescript',
  yaml: 'yaml',
};

export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

export function highlight(code: string, lang: string): string {
  const language = aliases[lang];
  if (language === undefined) return escaped(code);
  return hljs.highlight(code, { language }).value;
}
