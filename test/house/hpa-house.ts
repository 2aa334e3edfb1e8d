import { describe, expect, it } from 'vitest';
import { getCondition } from '@/lib/kube/condition';
import { readField, readNumber, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { LiveState, TrackerEntry } from '@/server/dispatch';
import { planGarbage, readTracker } from '@/server/dispatch';
import { aStorefront } from '../support/applications';
import { decide } from '../support/decisions';
import type { ClusterKind, House } from '../support/house';
import { startHouse } from '../support/house';
import { isBackAgain, isWaitingAt } from '../support/told';

const LAST_APPLIED = 'app.oam.dev/last-applied-configuration';
/** An HPA looks every 15 s, and a stage may need it twice. */
const limit = (clusterKind: ClusterKind) => (clusterKind === 'embedded' ? 5 * 60_000 : undefined);
const OWN = { min: 4, max: 8 };
const storefront = (tag: number, control: object = {}) =>
  aStorefront({
    hpa: OWN,
    image: `registry.example.com/web:${tag}`,
    gates: 'every-stage',
    control: { abortScaleDownDelaySeconds: 1, ...control },
  });

async function range(house: House, revision: string): Promise<string | undefined> {
  const hpa = await house.get(KINDS.horizontalPodAutoscaler, revision);
  return hpa && `${readNumber(hpa, 'spec', 'minReplicas')}..${readNumber(hpa, 'spec', 'maxReplicas')}`;
}

async function isAtRest(house: House, workload: string): Promise<boolean> {
  const rollout = await house.get(KINDS.rolloutOrchestrator, 'web');
  return (
    readString(rollout, 'spec', 'targetRevisions', 0, 'revisionName') === workload &&
    getCondition(rollout, 'Ready')?.status === 'True' &&
    readNumber(rollout, 'status', 'observedGeneration') === rollout?.metadata.generation
  );
}

async function isHeldAt(house: House, stage: number): Promise<boolean> {
  return isWaitingAt(await house.get(KINDS.rolloutOrchestrator, 'web'), stage);
}

const accepted = async (house: House, ...[verb, wanted]: [Parameters<typeof decide>[2], Parameters<typeof decide>[3]?]) => {
  const decision = await decide(house, 'web', verb, wanted);
  expect(`${readString(decision, 'status', 'phase')}: ${readString(decision, 'status', 'message')}`).toMatch(/^Accepted/);
};

async function entries(house: House, revision: string) {
  const tracker = await house.get(KINDS.resourceTracker, `${revision}-${house.ns}`);
  return tracker && readTracker(tracker).entries;
}

/** What a preview says of the end: what the old tracker lists and the new one does not. */
async function previewed(house: House): Promise<readonly string[]> {
  const [old, next] = await Promise.all(
    ['web-v1', 'web-v2'].map((revision) => house.get(KINDS.resourceTracker, `${revision}-${house.ns}`)),
  );
  if (old === undefined || next === undefined) throw new Error('there are no two trackers');
  const live = new Map<TrackerEntry, LiveState>();
  for (const entry of readTracker(old).entries) {
    const object = await house.get(entry, entry.name);
    live.set(entry, object === undefined ? { kind: 'absent' } : { kind: 'present', object });
  }
  const plan = planGarbage([readTracker(old)], readTracker(next), {
    live: (entry) => [...live].find(([one]) => one.kind === entry.kind && one.name === entry.name)?.[1] ?? { kind: 'absent' },
    components: ['web'],
    application: { name: 'web', namespace: house.ns },
  });
  const deleted = plan.items.filter(({ verdict }) => verdict === 'deleted');
  return deleted.map(({ entry }) => `${entry.kind}/${entry.name}`).sort();
}

/** What a rollout does with workloads that the cluster scales by load, on either cluster. Without metrics HPAs hold their bounds. */
export function defineHpaHouse(clusterKind: ClusterKind): void {
  describe(`a rollout of an application with an hpa on the ${clusterKind} cluster`, () => {
    it('[rollout 13.2] moves the bounds of the HPAs by stages, back after an abort and on after a retry, and collects the old one as previewed', async () => {
      await using house = await startHouse({ clusterKind });
      await house.apply(storefront(1));
      await house.until('the first revision is at rest', () => isAtRest(house, 'web-v1'), limit(clusterKind));
      await house.until('web-v1 has 4 pods ready', async () => (await house.ready('web-v1')) === 4);
      expect(await range(house, 'web-v1')).toBe('4..8');

      await house.apply(storefront(2));
      await house.until('stage 1 waits', () => isHeldAt(house, 1), limit(clusterKind));
      expect([await range(house, 'web-v1'), await range(house, 'web-v2')]).toEqual(['2..2', '2..8']);
      await house.until('web-v1 has 2 pods ready', async () => (await house.ready('web-v1')) === 2);
      await house.until('web-v2 has 2 pods ready', async () => (await house.ready('web-v2')) === 2);
      const hpa = await house.get(KINDS.horizontalPodAutoscaler, 'web-v2');
      expect(hpa?.metadata.annotations?.[LAST_APPLIED]).not.toContain('Replicas');
      expect(readField(hpa, 'spec', 'scaleTargetRef', 'name')).toBe('web-v2');

      await accepted(house, 'abort', { reason: 'errors' });
      const isBack = async () =>
        (await house.ready('web-v1')) === 4 &&
        readNumber(await house.get(KINDS.deployment, 'web-v2'), 'spec', 'replicas') === 0 &&
        isBackAgain(await house.get(KINDS.rolloutOrchestrator, 'web'));
      await house.until('the first revision carries everything again', isBack, limit(clusterKind));
      expect(await range(house, 'web-v1')).toBe('4..8');

      await accepted(house, 'retry');
      await house.until('stage 1 waits again', () => isHeldAt(house, 1), limit(clusterKind));
      const goes = await previewed(house);
      expect(goes).toEqual(['Deployment/web-v1', 'HorizontalPodAutoscaler/web-v1']);
      const before = (await entries(house, 'web-v1'))?.map(({ kind, name }) => `${kind}/${name}`) ?? [];
      await accepted(house, 'promote-full', { reason: 'it was the network' });
      await house.until('the second revision is at rest', () => isAtRest(house, 'web-v2'), limit(clusterKind));
      await house.until('the first one is collected', async () => (await entries(house, 'web-v1')) === undefined, limit(clusterKind));
      expect([await range(house, 'web-v1'), await range(house, 'web-v2')]).toEqual([undefined, '4..8']);
      await house.until('web-v2 has 4 pods ready', async () => (await house.ready('web-v2')) === 4);
      const left = await Promise.all(
        before.map(async (id) => {
          const [kind = '', name = ''] = id.split('/');
          const apiVersion = kind === 'Service' ? 'v1' : kind === 'Deployment' ? 'apps/v1' : 'autoscaling/v2';
          return (await house.get({ apiVersion, kind }, name)) === undefined ? [id] : [];
        }),
      );
      expect(left.flat().sort()).toEqual(goes);
    });

    it('[design 13 R] a second dispatch leaves bounds and counts as the rollout set them, and a restart goes on from there', async () => {
      await using house = await startHouse({ clusterKind });
      await house.apply(storefront(1));
      await house.until('the first revision is at rest', () => isAtRest(house, 'web-v1'), limit(clusterKind));
      await house.apply(storefront(2));
      await house.until('stage 1 waits', () => isHeldAt(house, 1), limit(clusterKind));
      const scaled = ['web-v1', 'web-v2'].flatMap((name) =>
        [KINDS.deployment, KINDS.horizontalPodAutoscaler].map((type) => ({ ...type, name })),
      );
      const specs = async () =>
        JSON.stringify(await Promise.all(scaled.map(async (at) => readField(await house.get(at, at.name), 'spec'))));
      const before = await specs();
      const at = { ...KINDS.horizontalPodAutoscaler, namespace: house.ns, name: 'web-v2' };
      const keeps = async () => readNumber(await house.get(at, at.name), 'spec', 'metrics', 0, 'resource', 'target', 'averageUtilization');
      expect(await keeps()).toBe(50);
      // Somebody changes what is the application's: the dispatch that puts it right knows of no bounds.
      const metrics = [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 90 } } }];
      await house.cluster.patch(at, { type: 'merge', body: { spec: { metrics } } });
      await house.until('the application has put it right', async () => (await keeps()) === 50, limit(clusterKind));
      expect(await specs()).toBe(before);
      await house.restart();
      await accepted(house, 'approve', { stage: 1 });
      await house.until('the second revision is at rest', () => isAtRest(house, 'web-v2'), limit(clusterKind));
      await house.until('the first one is collected', async () => (await entries(house, 'web-v1')) === undefined, limit(clusterKind));
      expect(await range(house, 'web-v2')).toBe('4..8');
    });

    it('[design 13 O] adopts a workload with its HPA, whose bounds are then those of the first revision', async () => {
      await using house = await startHouse({ clusterKind });
      const { spec, ...rest } = storefront(1);
      await house.apply({ ...rest, spec: { ...(spec as object), policies: [] } });
      await house.until('the HPA has raised the workload to its minimum', async () => (await house.ready('web')) === 4, limit(clusterKind));
      await house.apply(storefront(1));
      await house.until('the workload is adopted', () => isAtRest(house, 'web'), limit(clusterKind));
      expect(await range(house, 'web')).toBe('4..8');

      await house.apply(storefront(2));
      await house.until('stage 1 waits', () => isHeldAt(house, 1), limit(clusterKind));
      expect([await range(house, 'web'), await range(house, 'web-v2')]).toEqual(['2..2', '2..8']);
      await accepted(house, 'approve', { stage: 1 });
      await house.until('the second revision is at rest', () => isAtRest(house, 'web-v2'), limit(clusterKind));
      await house.until('the first one is collected', async () => (await entries(house, 'web-v1')) === undefined, limit(clusterKind));
      expect([await range(house, 'web'), await range(house, 'web-v2')]).toEqual([undefined, '4..8']);
      expect(await house.get(KINDS.deployment, 'web')).toBeUndefined();
    });
  });
}
