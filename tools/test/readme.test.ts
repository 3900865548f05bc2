import { expect } from 'chai';
import { readFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);
const text = (path: string) => readFileSync(new URL(path, root), 'utf8');

/** What follows the comment that names a file. */
function block(readme: string, file: string): string | undefined {
  const [, after = ''] = readme.split(`<!-- ${file} -->`);
  return /```\w+\n(.*?)```/s.exec(after)?.[1];
}

describe('README.md', () => {
  const readme = text('README.md');

  for (const file of ['js/examples/hello/hello.js', 'cpp/examples/hello/hello.cpp']) {
    it(`shows ${file} as it is`, () => {
      expect(block(readme, file)).to.equal(text(file));
    });
  }

  it('has lines for JavaScript that give each of several users, also of one flow, his own', async () => {
    const index = new URL('js/src/index.ts', root).href;
    const lines = block(readme, 'js/examples/hello/hello.js')!
      .replace("'steptree'", `'${index}'`)
      .replace('console.log(', 'export const printed = (');
    const more = `
      const { map } = await import('${index}');
      const names = ['Ann', 'Bob', 'Eve'];
      export const mapped = await run(map(names, { limit: 3 }, profile));
      export const flows = await Promise.all(names.map((id) => run(profile.with(id))));`;
    const { printed, mapped, flows } = await import(
      `data:text/javascript,${encodeURIComponent(lines + more)}`
    );
    const pages = ['Ann', 'Bob', 'Eve'].map((id) => `user of ${id}, cart of ${id}`);
    expect([printed, mapped, flows]).to.deep.equal([pages[0], pages, pages]);
  });

  it('has at most 120 lines', () => {
    expect(readme.trimEnd().split('\n').length).to.be.at.most(120);
  });

  it('links to nothing that is missing', () => {
    const prose = readme.replaceAll(/```.*?```/gs, '');
    for (const [, path = ''] of prose.matchAll(/\]\((?!http)([^)#]+)\)/g)) {
      expect(() => text(path.endsWith('/') ? `${path}README.md` : path), path).not.to.throw();
    }
  });
});

describe('CONTRIBUTING.md', () => {
  const blocks = [
    ...text('CONTRIBUTING.md').matchAll(/```\w+\n\/\/ (\S+\.\w+), (\w+)\(\)[^\n]*\n(.*?)```/gs),
  ];

  it('shows lines of the code as they are, in the function that it names', () => {
    expect(blocks.length).to.equal(2);
    for (const [, file, name, lines] of blocks) {
      const [, body = ''] = text(file!).split(new RegExp(`^(?:export )?\\w+ ${name}\\(`, 'm'));
      expect(body.split('\n}\n')[0], name).to.include(lines!.trim());
    }
  });
});
