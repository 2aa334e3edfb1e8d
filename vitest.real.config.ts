import path from 'node:path';
import { defineConfig } from 'vitest/config';
import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

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

// Seconds of those that take longest; of any other file it is a quarter of a minute.
const SECONDS: Readonly<Record<string, number>> = {
  'plane-faults': 158,
  'watch-rights': 142,
  'other-ways': 110,
  contract: 106,
  installation: 101,
  hpa: 101,
  grants: 79,
  'same-rollout': 71,
  overlap: 68,
  rollout: 65,
  'chart-releases': 62,
  'two-servers': 61,
  status: 61,
  ungranted: 60,
  'every-kind': 52,
  'release-drift': 49,
  informers: 47,
  flux: 47,
  'chart-finalizer': 46,
  'clean-up': 45,
  diagnose: 42,
  browser: 40,
  'policy-rights': 39,
  replace: 34,
};
const OTHERWISE_SECONDS = 15;

/** Shards of about the same time: the longest file that is left goes to the shard that has least. */
class EvenShards extends BaseSequencer {
  override async shard(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { index, count } = this.ctx.config.shard ?? { index: 1, count: 1 };
    const shards = Array.from({ length: count }, (): { seconds: number; files: TestSpecification[] } => ({ seconds: 0, files: [] }));
    const secondsOf = ({ moduleId }: TestSpecification) => SECONDS[path.basename(moduleId, '.test.ts')] ?? OTHERWISE_SECONDS;
    const byName = files.toSorted((one, other) => one.moduleId.localeCompare(other.moduleId));
    for (const file of byName.toSorted((one, other) => secondsOf(other) - secondsOf(one))) {
      const lightest = shards.reduce((least, shard) => (shard.seconds < least.seconds ? shard : least));
      lightest.seconds += secondsOf(file);
      lightest.files.push(file);
    }
    return shards[index - 1]?.files ?? [];
  }
}

// Tests against the cluster of KUBECONFIG (`npm run test:cluster`): one at a time, with time for a real control plane.
export default defineConfig({
  resolve: { alias: { '@': path.resolve(import.meta.dirname) } },
  test: {
    include: ['test/real/**/*.test.ts'],
    exclude: process.env.SLIPWAY_CLUSTER_DIR ? [] : DESTRUCTIVE,
    maxWorkers: 1,
    sequence: { sequencer: EvenShards },
    // A second, which is the default, is not enough for anything on a machine that has much else to do.
    expect: { poll: { timeout: 20_000 } },
    testTimeout: 400_000,
    hookTimeout: 180_000,
  },
});
