import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { longestFirst } from './scripts/test-run/longest-first.mjs';

// Whose figures are those of a machine that does nothing else.
const MEASURED = ['test/e2e/figures.test.ts'];

const LONGEST = [
  'demonstration',
  'crash',
  'words',
  'releases',
  'watch-rights',
  'values',
  'acts',
  'objects',
  'editor',
  'refusals',
  'lifecycle',
].map((name) => `/${name}.test.ts`);

// Browser tests start the built server and a real Chromium, and wait for pods, gates and polls between: three files at once keep two
// cores at work.
export default defineConfig({
  resolve: { alias: { '@': path.resolve(import.meta.dirname) } },
  test: {
    globalSetup: 'test/support/browser-run.ts',
    // A second, which is the default, is not enough for anything on a machine that has much else to do.
    expect: { poll: { timeout: 20_000 } },
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Nothing is kept in modules, so files share a process per worker, which loads the house once: five seconds for each file otherwise.
    isolate: false,
    sequence: { sequencer: longestFirst(LONGEST) },
    projects: [
      { extends: true, test: { name: 'measured', include: MEASURED, maxWorkers: 1 } },
      {
        extends: true,
        test: { name: 'browser', include: ['test/e2e/**/*.test.ts'], exclude: MEASURED, maxWorkers: 3, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
