/** Source maps of what is published. The sources are inside of them, named as in the repository, below the package. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface SourceMap {
  sources: string[];
  readonly sourcesContent: readonly string[];
}

export const mapOf = (file: string): SourceMap => JSON.parse(readFileSync(file, 'utf8'));

/** Of a folder that isn't beside the sources: what leads out of the package would name files of other packages. */
export function keepInside(folder: string): void {
  for (const name of readdirSync(folder).filter((name) => name.endsWith('.map'))) {
    const file = join(folder, name);
    const map = mapOf(file);
    map.sources = map.sources.map((source) => source.replace(/^(?:\.\.\/)+/, '../'));
    writeFileSync(file, JSON.stringify(map));
  }
}
