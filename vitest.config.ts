import path from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { longestFirst } from './scripts/test-run/longest-first.mjs';

const alias = { '@': path.resolve(import.meta.dirname) };

// Real control plane and browser tests have commands of their own (scripts/), since they need servers.
const OUTSIDE = ['test/e2e/**', 'test/real/**', 'test/rights/**', 'node_modules/**'];

// Nothing is kept in modules, so files share a process per worker, which loads the house once: a process for each file was a third of what the
// tests cost. Those that change or measure their process, or need a module to be another, or not to be loaded yet, have one of their own.
const ALONE = [
  'test/house-rules/**/*.test.ts',
  'test/attacks/{hidden-signs,page-loop}.test.ts',
  'test/server/{http-server,own-date,slipway}.test.ts',
  'test/server/chartsync/{full-disk,git-faults,git-remote,helm-process,process}.test.ts',
  'test/server/outbound/client.test.ts',
  'test/server/platform/**/*.test.ts',
];

// Houses wait for git, Helm and clocks, the longest for a minute.
const LONGEST = ['house/preview', 'house/chartsync-', 'house/', 'server/chartsync/', 'attacks/'];

export default defineConfig({
  resolve: { alias },
  test: {
    maxWorkers: 2,
    // A second, which is the default, is not enough for anything on a machine that has much else to do.
    expect: { poll: { timeout: 20_000 } },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    sequence: { sequencer: longestFirst(LONGEST) },
    projects: [
      {
        extends: true,
        test: { name: 'alone', environment: 'node', include: ALONE, setupFiles: ['test/support/seed.ts'] },
      },
      {
        extends: true,
        plugins: [react()],
        test: {
          name: 'dom',
          environment: 'jsdom',
          isolate: false,
          sequence: { groupOrder: 1 },
          include: ['test/**/*.test.tsx'],
          exclude: OUTSIDE,
          setupFiles: ['test/support/dom.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'rooms',
          environment: 'node',
          maxWorkers: 6,
          isolate: false,
          sequence: { groupOrder: 2 },
          include: ['test/**/*.test.ts'],
          exclude: [...OUTSIDE, ...ALONE],
          setupFiles: ['test/support/seed.ts'],
        },
      },
    ],
  },
});
