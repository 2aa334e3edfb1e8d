import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const RECORDS = 'docs/decisions';
const PAGES = ['README.md', 'docs/architecture.md', 'docs/contributing.md', `${RECORDS}/README.md`].filter((page) => existsSync(page));
const ROOTS = /^(app|components|deploy|docs|lib|public|scripts|server|test|proxy\.ts|\.dependency-cruiser\.cjs)(\/|$)/;

/** The title of a record, as its first line has it behind the number. */
function titleOf(file: string): string {
  const [heading = ''] = readFileSync(path.join(RECORDS, file), 'utf8').split('\n', 1);
  return heading.replace(/^# \d{4}[:.]?\s*(?:—\s*)?/, '');
}

/** What a page names in backticks that looks like a path of the project, without a symbol behind `#` and without patterns. */
function pathsNamed(text: string): readonly string[] {
  const named = [...text.matchAll(/`([^`\s]+)`/g)].map(([, name = '']) => name.split('#', 1)[0] ?? '');
  return named.filter((name) => ROOTS.test(name) && !/[*{<[\]]/.test(name));
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
    const links = [...text.matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)].map(([, to = '']) => to).filter((to) => !/^https?:/.test(to));
    const missing = [...pathsNamed(text).filter((name) => !existsSync(name)), ...links.filter((to) => !existsSync(path.join(path.dirname(page), to)))];
    expect(missing).toEqual([]);
  });
});
