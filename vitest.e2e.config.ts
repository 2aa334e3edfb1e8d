import path from 'node:path';
import { defineConfig } from 'vitest/config';

// Whose figures are those of a machine that does nothing else.
const MEASURED = ['test/e2e/rollout.test.ts'];

// Browser tests start the built server and a real Chromium, and half of the time they wait for pods, gates and polls: two files at once, with room
// for both.
export default defineConfig({
  resolve: { alias: { '@': path.resolve(import.meta.dirname) } },
  test: {
    globalSetup: 'test/support/built.ts',
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Nothing is kept in modules, so files share a process per worker, which loads the house once: five seconds for each file otherwise.
    isolate: false,
    projects: [
      { extends: true, test: { name: 'measured', include: MEASURED, maxWorkers: 1 } },
      {
        extends: true,
        test: { name: 'browser', include: ['test/e2e/**/*.test.ts'], exclude: MEASURED, maxWorkers: 2, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
