import path from 'node:path';
import { defineConfig } from 'vitest/config';

// These stop and restart parts of the control plane, or change its roles: only on one that test/cluster started, never on a cluster that somebody else uses.
const DESTRUCTIVE = [
  'test/real/faults.test.ts',
  'test/real/browser.test.ts',
  'test/real/watch-rights.test.ts',
  'test/real/same-rollout.test.ts',
  'test/real/command-line.test.ts',
  'test/real/two-servers.test.ts',
  'test/real/replace.test.ts',
];

// Tests against the cluster of KUBECONFIG (`npm run test:cluster`): one at a time, with time for a real control plane.
export default defineConfig({
  resolve: { alias: { '@': path.resolve(import.meta.dirname) } },
  test: {
    include: ['test/real/**/*.test.ts'],
    exclude: process.env.SLIPWAY_CLUSTER_DIR ? [] : DESTRUCTIVE,
    maxWorkers: 1,
    // A second, which is the default, is not enough for anything on a machine that has much else to do.
    expect: { poll: { timeout: 20_000 } },
    testTimeout: 400_000,
    hookTimeout: 180_000,
  },
});
