import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

interface Rule {
  readonly name: string;
  readonly comment?: string;
}

const RECORDS = 'docs/decisions';
const PAGES = ['README.md', 'docs/architecture.md', 'docs/contributing.md', `${RECORDS}/README.md`];
const ROOTS = /^(app|components|deploy|docs|lib|public|scripts|server|test|proxy\.ts|\.dependency-cruiser\.cjs)(\/|$)/;

/** The title of a record, as its first line has it behind the number. */
function titleOf(file: string): string {
  const [heading = ''] = readFileSync(path.join(RECORDS, file), 'utf8').split('\n', 1);
  return heading.replace(/^# \d{4}[:.]?\s*(?:—\s*)?/, '');
}

/** What a page names in backticks that looks like a path of the project, without a symbol behind `#` and without patterns. */
function pathsNamed(text: string): readonly string[] {
  const named = [...text.matchAll(/`([^`\s]+)`/g)].map(([, name = '']) => name.split('#', 1)[0] ?? '');
  return named.filter((name) => ROOTS.test(name) && !/[*{<[\]]|NNNN/.test(name));
}

describe('the list of decision records', () => {
  const list = readFileSync(`${RECORDS}/README.md`, 'utf8');
  const entries = [...list.matchAll(/^- \[(.+?)\]\((\d{4}-[a-z0-9-]+\.md)\): (.+)$/gm)];

  it('[issue 11.4] names every record once, in order, by its title, and nothing else', () => {
    const records = readdirSync(RECORDS)
      .filter((file) => file !== 'README.md')
      .sort();
    expect(entries.map(([, title, file]) => [file, title])).toEqual(records.map((file) => [file, `${file.slice(0, 4)} ${titleOf(file)}`]));
    expect(list.split('\n').filter((line) => line.startsWith('- '))).toHaveLength(records.length);
  });

  it('[issue 11.4] says in one sentence or two what was decided', () => {
    for (const [, title, , sentence = ''] of entries) expect(sentence, title).toMatch(/^[A-Z`].{20,260}\.$/);
  });
});

describe('the pages that a newcomer reads', () => {
  it.each(PAGES)('[issue 11.4] name only paths that exist: %s', (page) => {
    const text = readFileSync(page, 'utf8');
    const links = [...text.matchAll(/\]\(((?:[^()\s#]|\([^()\s]*\))+)(?:#[^)]*)?\)/g)]
      .map(([, to = '']) => to)
      .filter((to) => !/^https?:/.test(to));
    const missing = [
      ...pathsNamed(text).filter((name) => !existsSync(name)),
      ...links.filter((to) => !existsSync(path.join(path.dirname(page), to))),
    ];
    expect(missing).toEqual([]);
  });
});

describe('the drawing of the rooms', () => {
  const FOUNDATIONS = ['server/framework', 'server/status', 'server/kube', 'server/platform', 'lib'];
  // The rooms that the page tells of in words, below the drawing.
  const BESIDE = ['server/embedded', 'server/installation', 'server/demonstration', ...FOUNDATIONS];
  const short = (room: string) => room.replace('server/', '');

  it('[issue 11.4] has every arrow between server rooms that an import may take, and no other', () => {
    const { forbidden } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as { forbidden: readonly Rule[] };
    const allowed = forbidden.flatMap(({ name, comment = '' }) => {
      const [, room = '', rooms = ''] = /^(server\/\S+) may import (.*)$/.exec(name.startsWith('room-') ? comment : '') ?? [];
      if (room === '' || BESIDE.includes(room)) return [];
      return rooms
        .split(', ')
        .filter((to) => !FOUNDATIONS.includes(to))
        .map((to) => `${short(room)} --> ${short(to)}`);
    });
    const drawn = [...readFileSync('docs/architecture.md', 'utf8').matchAll(/^ {2}(\w+ --> \w+)$/gm)].map(([, arrow = '']) => arrow);
    expect(allowed.length).toBeGreaterThan(10);
    expect(drawn.sort()).toEqual(allowed.sort());
  });
});
