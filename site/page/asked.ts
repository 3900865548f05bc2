// What of a question is looked for.

/** What is asked in a sentence, and says nothing of what is looked for. */
const asides = new Set(
  'a an and are be can do does for from how i if in is it me mean means my of on or so that the then there this to use using what when where which who why with you'.split(
    ' ',
  ),
);

/** What has to be found; of a question that consists of asides all of it. */
export function wordsOf(asked: string): string[] {
  const words = asked.split(/[\s\p{P}]+/u).filter((word) => word !== '');
  const said = words.filter((word) => !asides.has(word.toLowerCase()));
  return said.length > 0 ? said : words;
}
