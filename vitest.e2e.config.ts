import path from 'node:path';
import { defineConfig } from 'vitest/config';

// Browser tests start the built server and a real Chromium: one file at a time, with room for both.
export default defineConfig({
  resolve: { alias: { '@': path.resolve(import.meta.dirname) } },
  test: { include: ['test/e2e/**/*.test.ts'], fileParallelism: false, maxWorkers: 1, testTimeout: 300_000, hookTimeout: 300_000 },
});
