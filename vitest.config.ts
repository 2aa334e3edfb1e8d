import path from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

const alias = { '@': path.resolve(import.meta.dirname) };

// Real control plane and browser tests have commands of their own (scripts/), since they need servers.
const OUTSIDE = ['test/e2e/**', 'test/real/**', 'node_modules/**'];

export default defineConfig({
  resolve: { alias },
  test: {
    maxWorkers: 2,
    testTimeout: 120_000,
    projects: [
      { extends: true, test: { name: 'node', environment: 'node', include: ['test/**/*.test.ts'], exclude: OUTSIDE, setupFiles: ['test/support/seed.ts'] } },
      {
        extends: true,
        plugins: [react()],
        test: { name: 'dom', environment: 'jsdom', include: ['test/**/*.test.tsx'], exclude: OUTSIDE, setupFiles: ['test/support/dom.ts'] },
      },
    ],
  },
});
