import path from 'node:path';
import { defineConfig } from 'vitest/config';

// The tests that `npm run test:long -- mutants` asks about a slice; it brings their names along.
export default defineConfig({
  resolve: { alias: { '@': path.resolve(import.meta.dirname) } },
  test: {
    environment: 'node',
    isolate: false,
    include: JSON.parse(process.env.SLIPWAY_MUTANTS_TESTS ?? '[]'),
    setupFiles: ['test/support/seed.ts'],
    testTimeout: 30_000,
  },
});
