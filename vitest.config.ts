import path from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

const alias = { '@': path.resolve(import.meta.dirname) };

// Real control plane and browser tests have commands of their own (scripts/), since they need servers.
const OUTSIDE = ['test/e2e/**', 'test/real/**', 'node_modules/**'];

// Rooms that keep nothing in their modules: their files share a process per worker, so that it loads the house once. Loading it for each file
// was half of what the tests cost. What starts servers, mocks modules or changes the process has one of its own.
const SHARED = ['test/lib/**/*.test.ts', 'test/server/{application,commands,dispatch,framework,readmodel,rollout,status}/**/*.test.ts'];

export default defineConfig({
  resolve: { alias },
  test: {
    maxWorkers: 2,
    testTimeout: 120_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'rooms',
          environment: 'node',
          isolate: false,
          sequence: { groupOrder: 1 },
          include: SHARED,
          exclude: OUTSIDE,
          setupFiles: ['test/support/seed.ts'],
        },
      },
      {
        extends: true,
        test: { name: 'node', environment: 'node', include: ['test/**/*.test.ts'], exclude: [...OUTSIDE, ...SHARED], setupFiles: ['test/support/seed.ts'] },
      },
      {
        extends: true,
        plugins: [react()],
        test: { name: 'dom', environment: 'jsdom', include: ['test/**/*.test.tsx'], exclude: OUTSIDE, setupFiles: ['test/support/dom.ts'] },
      },
    ],
  },
});
