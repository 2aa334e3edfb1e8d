import { describe, expect, it } from 'vitest';
import { getCondition } from '@/lib/kube/condition';
import { readNumber, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { aStorefront } from '../support/applications';
import { decide } from '../support/decisions';
import type { ClusterKind, House } from '../support/house';
import { startHouse } from '../support/house';
import { isWaitingAt, toldOf } from '../support/told';

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };
const AT_REST_LIMIT_MS = 5 * 60_000;

async function isAtRest(house: House, workload: string, name = 'web'): Promise<boolean> {
  const rollout = await house.get(KINDS.rolloutOrchestrator, name);
  return (
    readString(rollout, 'spec', 'targetRevisions', 0, 'revisionName') === workload &&
    getCondition(rollout, 'Ready')?.status === 'True' &&
    readNumber(rollout, 'status', 'observedGeneration') === rollout?.metadata.generation
  );
}

async function isHeldAt(house: House, stage: number): Promise<boolean> {
  return isWaitingAt(await house.get(KINDS.rolloutOrchestrator, 'web'), stage);
}

async function workloads(house: House): Promise<string[]> {
  return (await house.list(KINDS.deployment))
    .filter((one) => one.metadata.deletionTimestamp === undefined)
    .map((one) => one.metadata.name ?? '');
}

/** True once the tracker of a revision, which goes last, is gone. */
async function isCollected(house: House, revision: number): Promise<boolean> {
  return (await house.get(KINDS.resourceTracker, `web-v${revision}-${house.ns}`)) === undefined;
}

/** What the shared ConfigMap says, and the revisions whose trackers own it and the shared Service. */
async function sharedState(house: House): Promise<(string | undefined)[]> {
  const settings = await house.get(CONFIG_MAP, 'settings');
  const owners = [settings, await house.get(KINDS.service, 'web')].map((one) =>
    one?.metadata.ownerReferences?.map(({ name }) => name).join(),
  );
  return [readString(settings, 'data', 'made'), ...owners.map((owner) => owner?.replace(`-${house.ns}`, ''))];
}

/** Everything that the application put into the namespace, by identity, so that a deletion, or one that was made again, shows. */
async function uidsOf(house: House): Promise<string[]> {
  const kinds = await Promise.all([CONFIG_MAP, KINDS.service, KINDS.deployment].map((type) => house.list(type)));
  const named = kinds.flat().filter(({ metadata }) => metadata.labels?.['app.oam.dev/name'] === 'web');
  return named.map(({ kind, metadata }) => `${kind}/${metadata.name} ${metadata.uid}`).sort();
}

/** How a decision was settled, with its sentence, so that a failing test says why. */
function verdictOf(decision: KubeObject): string {
  return `${readString(decision, 'status', 'phase')}: ${readString(decision, 'status', 'message')}`;
}

const wait = (clusterKind: ClusterKind) => (clusterKind === 'embedded' ? AT_REST_LIMIT_MS : undefined);

/** What a rollout does from the first change to the last object deleted, on either cluster. */
export function defineRolloutHouse(clusterKind: ClusterKind): void {
  describe(`a rollout on the ${clusterKind} cluster`, () => {
    it.each(['availability', 'resourceutil'] as const)(
      '[rollout 12] %s replaces a revision in stages and collects what it left',
      async (strategy) => {
        await using house = await startHouse({ clusterKind });
        await house.apply(aStorefront({ strategy, configMaps: ['old-settings', 'kept'] }));
        await house.until('the first revision is at rest', () => isAtRest(house, 'web-v1'), wait(clusterKind));
        await house.until('web-v1 has 4 pods ready', async () => (await house.ready('web-v1')) === 4);

        await house.apply(aStorefront({ strategy, image: 'registry.example.com/web:2', configMaps: ['kept', 'new-settings'] }));
        await house.until('the second revision is at rest', () => isAtRest(house, 'web-v2'), wait(clusterKind));
        await house.until('the first revision is gone', () => isCollected(house, 1), wait(clusterKind));

        expect(await workloads(house)).toEqual(['web-v2']);
        await house.until('web-v2 has 4 pods ready', async () => (await house.ready('web-v2')) === 4);
        expect(await house.get({ apiVersion: 'v1', kind: 'ConfigMap' }, 'old-settings')).toBeUndefined();
        expect(await house.get({ apiVersion: 'v1', kind: 'ConfigMap' }, 'kept')).toBeDefined();
        expect(await house.get({ apiVersion: 'v1', kind: 'ConfigMap' }, 'new-settings')).toBeDefined();
      },
    );

    it('[rollout 14.5] holds at a gate until somebody approves the stage, and a second or late approve changes nothing', async () => {
      await using house = await startHouse({ clusterKind });
      await house.apply(aStorefront({ gates: 'every-stage' }));
      await house.until('the first revision is at rest', () => isAtRest(house, 'web-v1'), wait(clusterKind));
      await house.apply(aStorefront({ gates: 'every-stage', image: 'registry.example.com/web:2' }));
      await house.until('stage 1 waits', () => isHeldAt(house, 1), wait(clusterKind));
      await house.until('web-v1 has 2 pods ready', async () => (await house.ready('web-v1')) === 2);
      await house.until('web-v2 has 2 pods ready', async () => (await house.ready('web-v2')) === 2);

      const approved = await decide(house, 'web', 'approve', { stage: 1 });
      expect(verdictOf(approved)).toMatch(/^Accepted/);
      await house.until('the second revision is at rest', () => isAtRest(house, 'web-v2'), wait(clusterKind));

      const late = await decide(house, 'web', 'approve', { stage: 1, user: 'bob' });
      expect(verdictOf(late)).toMatch(/^Rejected/);
      expect(readString(late, 'status', 'message')).toMatch(/stage/);
    });

    it('[design 14] holds at its gate under a policy without gates, and without a policy, until that is decided', async () => {
      await using house = await startHouse({ clusterKind });
      const second = { image: 'registry.example.com/web:2' };
      await house.apply(aStorefront({ gates: 'every-stage' }));
      await house.until('the first revision is at rest', () => isAtRest(house, 'web-v1'), wait(clusterKind));
      const bare = aStorefront(second);
      await house.apply({ ...bare, spec: { ...(bare.spec as object), policies: [] } });
      await house.until('the change without a policy is refused', async () => {
        const application = await house.get(KINDS.application, 'web');
        return getCondition(application, 'Applied')?.reason === 'PolicyInForce';
      });
      expect(await workloads(house)).toEqual(['web-v1']);

      const looser = aStorefront({ ...second, gates: 'none' });
      const stored = (await house.get(KINDS.application, 'web')) ?? looser;
      const told = 'control.gates is looser than the policy in force; it takes effect once 1 person decides to loosen it';
      expect((await house.plan({ ...stored, spec: looser.spec })).looser).toBe(told);
      await house.apply(looser);
      await house.until('stage 1 waits', () => isHeldAt(house, 1), wait(clusterKind));
      await house.until(
        'the looser policy waits',
        async () => toldOf(await house.get(KINDS.rolloutOrchestrator, 'web'))?.loosening !== null,
      );
      await house.until('web-v1 has 2 pods ready', async () => (await house.ready('web-v1')) === 2);
      expect(verdictOf(await decide(house, 'web', 'loosen', { reason: 'a hot fix' }))).toMatch(/^Accepted/);
      await house.until('the second revision is at rest', () => isAtRest(house, 'web-v2'), wait(clusterKind));
    });

    it('[rollout 14.6] an abort brings the stable revision back, and a retry goes on to the rejected one', async () => {
      await using house = await startHouse({ clusterKind });
      await house.apply(aStorefront({ gates: 'every-stage', control: { abortScaleDownDelaySeconds: 1 } }));
      await house.until('the first revision is at rest', () => isAtRest(house, 'web-v1'), wait(clusterKind));
      await house.apply(
        aStorefront({ gates: 'every-stage', control: { abortScaleDownDelaySeconds: 1 }, image: 'registry.example.com/web:2' }),
      );
      await house.until('stage 1 waits', () => isHeldAt(house, 1), wait(clusterKind));

      const aborted = await decide(house, 'web', 'abort', { reason: 'errors' });
      expect(verdictOf(aborted)).toMatch(/^Accepted/);
      await house.until(
        'the stable revision carries everything again',
        async () => (await house.ready('web-v1')) === 4 && (await house.ready('web-v2')) === 0,
        wait(clusterKind),
      );
      expect(await workloads(house)).toEqual(expect.arrayContaining(['web-v1', 'web-v2']));

      const retried = await decide(house, 'web', 'retry');
      expect(verdictOf(retried)).toMatch(/^Accepted/);
      await house.until('stage 1 waits again', () => isHeldAt(house, 1), wait(clusterKind));
      const promoted = await decide(house, 'web', 'promote-full', { reason: 'it was the network' });
      expect(verdictOf(promoted)).toMatch(/^Accepted/);
      await house.until('the second revision is at rest', () => isAtRest(house, 'web-v2'), wait(clusterKind));
    });

    it('[design 13 B] an abort in mid-stage gives shared objects back to the stable revision, a retry hands them over again, nothing is deleted', async () => {
      await using house = await startHouse({ clusterKind });
      const control = { abortScaleDownDelaySeconds: 1 };
      await house.apply(aStorefront({ gates: 'every-stage', control, configMaps: ['settings'], content: 'stable' }));
      await house.until('the first revision is at rest', () => isAtRest(house, 'web-v1'), wait(clusterKind));
      const next = { image: 'registry.example.com/web:2', configMaps: ['settings'], content: 'rejected' };
      await house.apply(aStorefront({ gates: 'every-stage', control, ...next }));
      await house.until('stage 1 waits', () => isHeldAt(house, 1), wait(clusterKind));
      expect(await sharedState(house)).toEqual(['rejected', 'web-v2', 'web-v2']);
      const before = await uidsOf(house);

      const aborted = await decide(house, 'web', 'abort', { reason: 'errors' });
      expect(verdictOf(aborted)).toMatch(/^Accepted/);
      await house.until(
        'shared objects are the stable revision’s',
        async () => `${await sharedState(house)}` === 'stable,web-v1,web-v1',
        wait(clusterKind),
      );
      const isStable = async () => (await house.ready('web-v1')) === 4 && (await house.ready('web-v2')) === 0;
      await house.until('the stable revision carries everything again', isStable, wait(clusterKind));
      expect(await sharedState(house)).toEqual(['stable', 'web-v1', 'web-v1']);
      expect(await uidsOf(house)).toEqual(before);

      const retried = await decide(house, 'web', 'retry');
      expect(verdictOf(retried)).toMatch(/^Accepted/);
      await house.until('stage 1 waits again', () => isHeldAt(house, 1), wait(clusterKind));
      await house.until(
        'shared objects are handed over again',
        async () => `${await sharedState(house)}` === 'rejected,web-v2,web-v2',
        wait(clusterKind),
      );
      expect(await uidsOf(house)).toEqual(before);
    });

    it('[rollout 14.3] refuses to abort what does not move', async () => {
      await using house = await startHouse({ clusterKind });
      await house.apply(aStorefront());
      await house.until('the first revision is at rest', () => isAtRest(house, 'web-v1'), wait(clusterKind));
      const aborted = await decide(house, 'web', 'abort', { reason: 'nervous' });
      expect(verdictOf(aborted)).toMatch(/^Rejected/);
      await house.until('web-v1 has 4 pods ready', async () => (await house.ready('web-v1')) === 4);
    });

    it('[dispatch R1] going back to an earlier content makes a new revision and deletes nothing that it lists', async () => {
      await using house = await startHouse({ clusterKind });
      const first = aStorefront({ configMaps: ['a'] });
      await house.apply(first);
      await house.until('v1 is at rest', () => isAtRest(house, 'web-v1'), wait(clusterKind));
      const uid = (await house.get({ apiVersion: 'v1', kind: 'ConfigMap' }, 'a'))?.metadata.uid;
      await house.apply(aStorefront({ image: 'registry.example.com/web:2', configMaps: ['a', 'b'] }));
      await house.until('v2 is at rest', () => isAtRest(house, 'web-v2'), wait(clusterKind));
      await house.until('v1 is collected', () => isCollected(house, 1), wait(clusterKind));
      await house.apply(first);
      await house.until('v3 is at rest', () => isAtRest(house, 'web-v3'), wait(clusterKind));
      await house.until('v2 is collected', () => isCollected(house, 2), wait(clusterKind));
      expect((await house.get({ apiVersion: 'v1', kind: 'ConfigMap' }, 'a'))?.metadata.uid).toBe(uid);
      expect(await house.get({ apiVersion: 'v1', kind: 'ConfigMap' }, 'b')).toBeUndefined();
      expect(await workloads(house)).toEqual(['web-v3']);
    });

    it('[rollout 6.3] a change in mid-rollout goes on to the newest revision and leaves nothing behind', async () => {
      await using house = await startHouse({ clusterKind });
      await house.apply(aStorefront({ gates: 'every-stage' }));
      await house.until('v1 is at rest', () => isAtRest(house, 'web-v1'), wait(clusterKind));
      await house.apply(aStorefront({ gates: 'every-stage', image: 'registry.example.com/web:2' }));
      await house.until('stage 1 waits', () => isHeldAt(house, 1), wait(clusterKind));
      await house.apply(aStorefront({ gates: 'every-stage', image: 'registry.example.com/web:3' }));
      await house.until(
        'stage 1 of v3 waits',
        async () => (await isHeldAt(house, 1)) && (await house.ready('web-v3')) > 0,
        wait(clusterKind),
      );
      await decide(house, 'web', 'promote-full', { reason: 'the way there is tried' });
      await house.until('v3 is at rest', () => isAtRest(house, 'web-v3'), wait(clusterKind));
      await house.until(
        'the others are collected',
        async () => (await isCollected(house, 1)) && (await isCollected(house, 2)),
        wait(clusterKind),
      );
      expect(await workloads(house)).toEqual(['web-v3']);
      await house.until('web-v3 has 4 pods ready', async () => (await house.ready('web-v3')) === 4);
    });

    it('[design 13 K] a restart in mid-stage goes on where it was, and nothing is done twice', async () => {
      await using house = await startHouse({ clusterKind });
      await house.apply(aStorefront({ replicas: 6, ratio: 20, annotations: { 'sim.slipway.dev/start': '1s' } }));
      await house.until('v1 is at rest', () => isAtRest(house, 'web-v1'), wait(clusterKind));
      await house.apply(
        aStorefront({ replicas: 6, ratio: 20, image: 'registry.example.com/web:2', annotations: { 'sim.slipway.dev/start': '1s' } }),
      );
      await house.until('v2 has its first pods', async () => (await house.ready('web-v2')) > 0, wait(clusterKind));
      await house.restart();
      await house.until('v2 is at rest', () => isAtRest(house, 'web-v2'), wait(clusterKind));
      const revisions = await house.list(KINDS.applicationRevision);
      expect(revisions.map((one) => one.metadata.name).sort()).toEqual(['web-v1', 'web-v2']);
      const ids = [...house.record.keys()];
      expect(new Set(ids).size).toBe(ids.length);
    });
  });
}
