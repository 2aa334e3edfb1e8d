import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { AccessRight } from '@/server/kube';
import { readRollout } from '@/server/rollout/objects';
import { findForeignRevision, findUnpermittedRevision } from '@/server/rollout/ownership';
import { aRolloutSpec, aSimulation } from './simulation';

const OWNER = { ...KINDS.application, name: 'web', uid: 'app', controller: true };
const rolloutOf = (metadata: object = {}): KubeObject => ({
  ...KINDS.rolloutOrchestrator,
  metadata: { name: 'web', namespace: 'shop', uid: 'ro', ...metadata },
  spec: aRolloutSpec('web-v1', 'web-v2', 4),
});
const workload = (name: string, labels?: Readonly<Record<string, string>>): KubeObject => ({
  ...KINDS.deployment,
  metadata: { name, namespace: 'shop', ...(labels === undefined ? {} : { labels }) },
  spec: { replicas: 1 },
});
const OF_APPLICATION = { 'app.oam.dev/name': 'store' };
const ofRollout = (name: string) => ({ 'serving.knative.dev/service': name });

describe('a workload that a rollout names', () => {
  const foreign = (labels: Readonly<Record<string, string>> | undefined, metadata: object = {}, there: readonly string[] = ['other']) =>
    findForeignRevision(readRollout(rolloutOf(metadata)), [workload('web-v1', labels)], (name) => there.includes(name));

  it('[issue 10.2] is not moved where an application has it, or another rollout that is there', () => {
    expect(foreign(OF_APPLICATION)).toEqual({ revision: 'web-v1', by: 'store', why: 'application' });
    expect(foreign(ofRollout('other'))).toEqual({ revision: 'web-v1', by: 'other' });
  });

  it('[issue 10.2] is moved where nobody has it, the rollout itself does, or one that is gone', () => {
    expect([foreign(undefined), foreign(ofRollout('web'), {}, ['web']), foreign(ofRollout('other'), {}, [])]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('[issue 10.2] is moved by the rollout of an application, and by none that only claims to be of one', () => {
    expect(foreign(OF_APPLICATION, { ownerReferences: [OWNER] })).toBeUndefined();
    for (const owner of [
      { ...OWNER, apiVersion: 'example.com/v1' },
      { ...OWNER, kind: 'ConfigMap' },
      { ...OWNER, controller: false },
    ])
      expect(foreign(OF_APPLICATION, { ownerReferences: [owner] })).toMatchObject({ why: 'application' });
  });
});

describe('whoever wrote a rollout without an application', () => {
  const NOTED = { annotations: { 'slipway.dev/requested-by': 'ann', 'slipway.dev/requested-by-groups': 'ops' } };

  /** What may not be moved, and what was asked to find that out. */
  async function unpermitted(may: (right: AccessRight) => boolean, metadata: object = NOTED) {
    const asked: unknown[] = [];
    const { view } = aSimulation(4).observe();
    const found = await findUnpermittedRevision({ ...view, ro: readRollout(rolloutOf(metadata)) }, async (subject, right) => {
      asked.push([subject.user, subject.groups, right]);
      return may(right);
    });
    return { found, asked };
  }
  const RIGHT = { verb: 'patch', group: 'apps', resource: 'deployments', namespace: 'shop' };

  it('[issue 10.2] is asked once for what moves, in that namespace, by all that tells who they are', async () => {
    const { found, asked } = await unpermitted(() => true);
    expect([found, asked]).toEqual([undefined, [['ann', ['ops'], RIGHT]]]);
  });

  it('[issue 10.2] moves what they may patch by its name, and nothing where they may not patch one of them', async () => {
    const named = await unpermitted(({ name }) => name !== undefined);
    expect([named.found, named.asked.length]).toEqual([undefined, 3]);
    const { found, asked } = await unpermitted(({ name }) => name === 'web-v1');
    expect(found).toEqual({ revision: 'web-v2', by: 'ann', why: 'rights' });
    expect(asked.at(-1)).toEqual(['ann', ['ops'], { ...RIGHT, name: 'web-v2' }]);
  });

  it('[issue 10.2] is not asked where nobody is noted, or where an application owns it', async () => {
    for (const metadata of [{}, { ...NOTED, ownerReferences: [OWNER] }]) {
      expect(await unpermitted(() => false, metadata)).toEqual({ found: undefined, asked: [] });
    }
  });
});
