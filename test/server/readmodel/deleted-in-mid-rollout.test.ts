import fc from 'fast-check';
import { expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import { toObjectId } from '@/lib/kube/object';
import { aStorefront } from '../../support/applications';
import { decide } from '../../support/decisions';
import type { House } from '../../support/house';
import { startHouse } from '../../support/house';
import type { Rows } from './rig';
import { openRows } from './rig';

// What is said of the deletion of an application that rolls out, at any moment of a stage, against what is there when it is gone.

const scene = fc.record({
  replicas: fc.integer({ min: 1, max: 8 }),
  ratio: fc.integer({ min: 10, max: 100 }),
  gates: fc.constantFrom('none', 'every-stage'),
  /** How long the second revision has been on its way. */
  ms: fc.integer({ min: 0, max: 12_000 }),
  /** Whether a rule keeps one of its objects for good. */
  keeps: fc.boolean(),
});
type Scene = typeof scene extends fc.Arbitrary<infer Value> ? Value : never;

const NEVER = {
  name: 'keep',
  type: 'garbage-collect',
  properties: { rules: [{ selector: { resourceNames: ['shared'] }, strategy: 'never' }] },
};
const KINDS_OF_IT = [
  KINDS.deployment,
  KINDS.rolloutOrchestrator,
  KINDS.stagePodAutoscaler,
  { apiVersion: 'v1', kind: 'Service' },
  { apiVersion: 'v1', kind: 'ConfigMap' },
];

/** Everything that lives in the namespace and came from the application. */
async function livingIn(house: House): Promise<readonly string[]> {
  const found: string[] = [];
  for (const type of KINDS_OF_IT) {
    for await (const { items } of house.cluster.list(type)) {
      const own = items.filter(({ metadata }) => metadata.namespace === house.ns);
      found.push(...own.map(({ metadata: { name = '' } }) => toObjectId({ ...type, name, namespace: house.ns })));
    }
  }
  return found.filter((id) => !id.includes('kube-root-ca')).sort();
}

/** An application somewhere in its second rollout, deleted by kubectl, whose deletion a rule holds. */
async function deleteInMidRollout(house: House, rows: Rows, { replicas, ratio, gates, ms, keeps }: Scene): Promise<void> {
  const wanted = (image: string, configMaps: readonly string[]) => {
    const app = aStorefront({ replicas, ratio, gates, image, configMaps });
    const spec = app.spec as { policies: object[] };
    return keeps ? { ...app, spec: { ...spec, policies: [...spec.policies, NEVER] } } : app;
  };
  await house.apply(wanted('web:1', ['shared', 'first', 'other']));
  const done = () => rows.see({ kind: 'rollout', ns: house.ns, name: 'web' })?.rows.length === 1;
  await house.until('the first rollout is there', done);
  for (let step = 0; step < 60 && rows.rollout().activity !== 'idle'; step++) {
    await house.advance(5000);
    if (rows.rollout().activity === 'waiting') await decide(house, 'web', 'approve');
  }
  await house.apply(wanted('web:2', ['shared', 'second', 'other']));
  await house.until('the second revision is asked for', () => rows.rollout().to === 'web-v2');
  await house.advance(ms);
  await house.cluster.delete({ ...KINDS.application, namespace: house.ns, name: 'web' });
  await house.until('the deletion is held', () => waiting(house, rows).refused !== null);
}

const waiting = (house: House, rows: Rows) => rows.model.waitingOf(house.ns, 'web', {});

it('[issue 9.4] what is said of a deletion in mid-rollout is what happens: exactly the listed objects go, once they are let go, and what moves them goes too', async () => {
  await fc.assert(
    fc.asyncProperty(scene, async (given) => {
      const said = JSON.stringify(given);
      await using house = await startHouse();
      await using rows = await openRows(house);
      await deleteInMidRollout(house, rows, given);
      const before = await livingIn(house);
      const plan = waiting(house, rows);
      expect(new Set(plan.rows.flatMap(({ verdict, why }) => (verdict === 'deleted' ? why : []))), said).toEqual(
        new Set(['its application is being deleted']),
      );
      // While it is held nothing goes, and the rollout says what will become of it.
      await house.advance(20_000);
      expect(await livingIn(house), said).toEqual(before);
      const { wait, actions } = rows.rollout();
      expect(
        wait.clauses.map(({ text }) => text),
        said,
      ).toContainEqual(expect.stringMatching(/^application web is being deleted, and this rollout with it/i));
      expect(
        actions.find(({ verb }) => verb === 'rollback'),
        said,
      ).toMatchObject({ allowed: false });

      const { uid = '' } = (await house.get(KINDS.application, 'web'))?.metadata ?? {};
      const { digest, decision } = waiting(house, rows);
      const spec = {
        applicationRef: { name: 'web', uid },
        verb: 'approve',
        actor: { user: 'ada' },
        seen: { garbage: digest },
        garbage: { count: decision.count },
      };
      const ada = house.cluster.as({ user: 'ada', groups: ['slipway:operators'] });
      await ada.create({ ...KINDS.stageDecision, metadata: { name: 'let-go', namespace: house.ns }, spec });
      await house.until('the application is gone', async () => (await house.get(KINDS.application, 'web')) === undefined, 120_000);
      await house.advance(20_000);
      const stays = plan.rows.flatMap(({ id, verdict }) => (verdict === 'kept' ? id : []));
      expect(stays, said).toEqual(given.keeps ? [`ConfigMap/${house.ns}/shared`] : []);
      expect(await livingIn(house), said).toEqual(stays);
    }),
    { numRuns: 3 },
  );
});
