/** Where the words of a drawn picture stand, in the widest of the usual fonts. */
interface Place {
  readonly words: string;
  readonly left: number;
  readonly right: number;
  readonly base: number;
  readonly size: number;
}

const perLetter = 0.62;
const bold = 1.12;

function placesOf(svg: string): Place[] {
  return [...svg.matchAll(/<text x="(\S+)" y="(\S+)" ([^>]*)>([^<]*)<\/text>/g)].map(
    ([, x, base, style, escaped]) => {
      const words = escaped!.replaceAll(/&\w+;/g, '&');
      const size = Number(/font-size="(\S+)"/.exec(style!)![1]);
      const weight = style!.includes('font-weight') ? bold : 1;
      const width = words.length * size * perLetter * weight;
      const left = Number(x) - (style!.includes('"middle"') ? width / 2 : 0);
      return { words, left, right: left + width, base: Number(base), size };
    },
  );
}

/** Words over words. */
export function crossings(svg: string): string[] {
  const places = placesOf(svg);
  return places.flatMap((one, i) =>
    places
      .slice(i + 1)
      .filter((other) => one.left < other.right && other.left < one.right)
      .filter((other) => Math.abs(one.base - other.base) < Math.max(one.size, other.size))
      .map((other) => `'${one.words}' and '${other.words}'`),
  );
}

/** Words that reach over the border. */
export function outside(svg: string, width: number): string[] {
  return placesOf(svg)
    .filter(({ left, right }) => left < 0 || right > width)
    .map(({ words }) => words);
}
