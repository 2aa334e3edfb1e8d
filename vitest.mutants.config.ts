import path from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

const include: readonly string[] = JSON.parse(process.env.SLIPWAY_MUTANTS_TESTS ?? '[]');
const isScreens = include.some((tests) => tests.includes('tsx'));

// The tests that `npm run test:long -- mutants` asks about a slice; it brings their names along.
export default defineConfig({
  plugins: [react()],
  resolve: { alias: { '@': path.resolve(import.meta.dirname) } },
  test: {
    environment: isScreens ? 'jsdom' : 'node',
    isolate: false,
    include: [...include],
    setupFiles: isScreens ? ['test/support/dom.ts', 'test/long/mutants/impatient.ts'] : ['test/support/seed.ts'],
    testTimeout: 30_000,
  },
});
