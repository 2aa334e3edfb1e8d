import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** React throws where what these bring does not come, and the page around goes with it. */
const THROWS = /['"]next\/dynamic['"]|(?<!z\.)\blazy\(/;
const DECLARES = /^const \w+ = (?:lazyWhenIdle|lazyOnDemand)\(/;

const offends = (line: string): boolean => THROWS.test(line) || (line.includes('import(') && !DECLARES.test(line));

it('[issue 14.3] every part that comes after its page is declared in the way that keeps the page where it does not come', () => {
  const files = ['app', 'components'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file))
      .map((file) => `${folder}/${file}`),
  );
  const lines = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => ({ file, line: line.trim() })),
  );
  expect(lines.filter(({ line }) => offends(line))).toEqual([]);
  expect(lines.filter(({ line }) => DECLARES.test(line)).length).toBeGreaterThan(8);
});

it.each([
  "import dynamic from 'next/dynamic';",
  "const Palette = lazy(() => import('./palette'));",
  "const { Palette } = await import('./palette');",
])('[issue 14.3] another way is noticed: %s', (line) => {
  expect(offends(line)).toBe(true);
});
