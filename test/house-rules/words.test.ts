import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findOutside } from './outside-catalogue';

/** Texts that look like words for people and are none. */
const NO_WORDS: readonly (readonly [file: string, text: string])[] = [
  ['components/editor/editor-screen.tsx', 'trying'],
  ['components/editor/editor-screen.tsx', 'applying'],
  ['components/shell/narrow-bars.tsx', 'Slipway'],
  ['components/shell/site-metadata.ts', 'Slipway'],
  ['components/ui/data/yaml-text.tsx', 'text-good'],
];

/** Folders that are not moved into the catalogue yet. This list only shrinks. */
const NOT_YET: readonly string[] = [];

const files = ['app', 'components'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /(?<!\.d)\.tsx?$/.test(file))
    .map((file) => path.join(folder, file)),
);
const outside = files.flatMap((file) => findOutside(file, readFileSync(file, 'utf8')));
const isWord = ({ where, text }: { readonly where: string; readonly text: string }) =>
  !NO_WORDS.some(([file, said]) => where.startsWith(`${file}:`) && said === text);

const shown = files.map((file) => readFileSync(file, 'utf8'));
/** What pages and commands call alike is said here. */
const shared = ['lib/words/lists', 'lib/words/releases'].flatMap((folder) =>
  readdirSync(folder).map((file) => readFileSync(path.join(folder, file), 'utf8')),
);
const catalogues = readdirSync('lib/words/catalogue', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.includes('/') && file.endsWith('.ts'))
  .map((file) => file.replace(/\.ts$/, ''));

/** Ids of a catalogue that nobody who imports it says. */
async function unsaid(name: string): Promise<readonly string[]> {
  const [[said, t] = ['t', {}]] = Object.entries(
    (await import(path.resolve('lib/words/catalogue', `${name}.ts`))) as Record<string, object>,
  );
  const users = [...shown, ...shared].filter((source) => source.includes(`'@/lib/words/catalogue/${name}'`)).join('\n');
  return Object.keys(t).filter((id) => !new RegExp(`\\b${said}\\.${id}\\b`).test(users));
}

describe('a text on the screen', () => {
  it('[issue 11.3] is found where it stands beside the catalogue', () => {
    const source = `const a = <p title="Hover" className="not this">Shown {b ? 'one thing' : t.other}{b ? 'single' : <i said="found" />}<Kbd>K</Kbd></p>;
      const column = { head: 'Name', id: 'name', cell: cx('flex grow') }; const sentence = \`\${who} did it\`; throw new Error('for programmers only');`;
    expect(findOutside('a.tsx', source).map(({ text }) => text)).toEqual([
      'Hover',
      'Shown',
      'one thing',
      'single',
      'found',
      'Name',
      '{} did it',
    ]);
  });

  it('[issue 11.3] stands in the catalogue (lib/words/catalogue), except in folders that are not moved yet', () => {
    expect(outside.filter(({ where }) => !NOT_YET.some((folder) => where.startsWith(folder))).filter(isWord)).toEqual([]);
  });

  it('[issue 11.3] is outside in each folder that is said to be not moved yet', () => {
    expect(NOT_YET.filter((folder) => !outside.filter(isWord).some(({ where }) => where.startsWith(folder)))).toEqual([]);
  });

  it('[issue 11.3] is for people only: nothing is compared with it or looked for by it', () => {
    const asData = /(?:[!=]==|\bcase) t\.|\.(?:replace|split|startsWith|endsWith|includes|indexOf)\(t\./;
    expect(asData.test('if (state === t.failed) return 1;')).toBe(true);
    expect(files.filter((_, at) => asData.test(shown[at] ?? ''))).toEqual([]);
  });

  it.each(catalogues)('[issue 11.3] is said somewhere: %s', async (name) => {
    expect(await unsaid(name)).toEqual([]);
  });
});
