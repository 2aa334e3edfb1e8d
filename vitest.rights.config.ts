import path from 'node:path';
import { defineConfig } from 'vitest/config';

// What the suite on the real control plane used of the server's rights: after it, by scripts/test-cluster.mjs.
export default defineConfig({
  resolve: { alias: { '@': path.resolve(import.meta.dirname) } },
  test: { include: ['test/rights/**/*.test.ts'], testTimeout: 60_000 },
});
