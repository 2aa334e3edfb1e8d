import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readField } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { startEmbedded } from '@/server/embedded';
import { installMissing } from '@/server/installation';
import type { Cluster } from '@/server/kube';
import { createRandom, Lifetimes } from '@/server/platform';
import { recordLostPolicy } from '@/server/rollout/act';
import { readRollout } from '@/server/rollout/objects';
import { aDefinition } from '@/test/support/definitions';
import { driven } from '@/test/support/house';
import { ManualClock } from '@/test/support/manual-clock';
import { createSeededIds } from '@/test/support/seeded-ids';
import { silentLog } from '@/test/support/silent-log';

const AT = { ...KINDS.rolloutOrchestrator, namespace: 'default', name: 'web' };

describe('noteLostPolicy', () => {
  const clock = new ManualClock();
  let lifetimes: Lifetimes;
  let cluster: Cluster;
  const drive = <T>(work: Promise<T>): Promise<T> => driven(clock, work);
  const note = (copy: KubeObject) =>
    drive(recordLostPolicy(readRollout(copy), { cluster, dropped: () => 'the definition drops it', signal: new AbortController().signal }));
  const noted = async () => readField((await drive(cluster.get(AT))).status, 'annotations', 'slipway.dev/policy-lost');
  const roll = (spec: Readonly<Record<string, unknown>>) =>
    drive(
      cluster.create({
        ...KINDS.rolloutOrchestrator,
        metadata: { namespace: 'default', name: 'web' },
        spec: { targetRevisions: [], ...spec },
      }),
    );

  beforeEach(async () => {
    lifetimes = new Lifetimes(silentLog);
    const random = createRandom(7);
    cluster = lifetimes.use(
      'cluster',
      await drive(startEmbedded({ clock, random, ids: createSeededIds(random), log: silentLog, nodes: 0 })),
    ).cluster;
    await drive(installMissing([await aDefinition('rolloutorchestrators')], { cluster, clock, log: silentLog }));
  });
  afterEach(async () => drive(lifetimes[Symbol.asyncDispose]()));

  it('[issue 9.3] notes a rollout whose policy the API server does not have', async () => {
    await note(await roll({}));
    expect(await noted()).toBe('1');
  });

  it('[issue 9.3] notes nothing while the API server has the policy that an older watch did not tell', async () => {
    const stored = await roll({ control: { gates: 'every-stage' } });
    const { control: _untold, ...spec } = stored.spec as Record<string, unknown>; // as a watch of the older definition tells it
    await note({ ...stored, spec });
    expect(await noted()).toBeUndefined();
  });
});
