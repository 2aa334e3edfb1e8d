import { describe, expect, it } from 'vitest';
import { KINDS, REQUESTED_BY } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toInstant } from '@/lib/std/instant';
import { createChangePlanner } from '@/server/application';
import type { ChangePlannerDeps } from '@/server/application/plan/planner';
import { LABEL } from '@/server/dispatch';
import { FakeApiServer } from '../../support/dispatch-server';
import { FakeInformers } from '../../support/fake-informers';
import { createFakeCluster } from '../auth/fake-cluster';
import { configMap, holding, revisionOf } from './seen';
import { POLICY, plain, shop } from './staged-shop';

interface World extends Partial<ChangePlannerDeps> {
  readonly objects?: readonly KubeObject[];
  readonly may?: boolean;
}
function plannerOf({ objects = [], may = true, ...more }: World = {}) {
  const server = new FakeApiServer();
  for (const object of objects) server.seed(object);
  const cluster = createFakeCluster({ objects: server.all(), may: () => may });
  const informers = new FakeInformers(server);
  let now = 0;
  const sleeps: number[] = [];
  const clock = {
    now: () => toInstant(now),
    sleep: async (ms: number) => {
      sleeps.push(ms);
      now += Math.max(ms, 1);
    },
  };
  const planner = createChangePlanner({ cluster, informers, clock, ...more } as ChangePlannerDeps);
  return { planner, informers, sleeps, server, cluster };
}
const entry = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', namespace: 'shop', cluster: 'local' };
const tracker: KubeObject = {
  apiVersion: 'core.oam.dev/v1beta1',
  kind: 'ResourceTracker',
  metadata: { name: 'web-v1-shop', uid: 't', labels: { [LABEL.appName]: 'web', [LABEL.appNamespace]: 'shop' } },
  spec: { type: 'versioned', applicationGeneration: 1, managedResources: [entry] },
};
const ada = { user: 'ada', groups: [] };
const approvals = (more: object) => [
  { ...POLICY, properties: { ...POLICY.properties, control: { gates: 'every-stage', approvals: more } } },
];

describe('the planner of a change', () => {
  it('[design 11] plans it by the copies, those of kinds that nobody watched before included', async () => {
    const { planner } = plannerOf({
      objects: [configMap('a', { a: '2' }, { namespace: 'shop', labels: { [LABEL.appName]: 'web', [LABEL.appNamespace]: 'shop' } })],
    });
    const plan = await planner.plan(holding([configMap('a', { a: '1' }), configMap('b')]));
    expect(plan.objects.map(({ id, verdict }) => `${id} ${verdict}`)).toEqual(['ConfigMap/shop/a changed', 'ConfigMap/shop/b new']);
    expect([plan.ungranted, plan.withheld, plan.looser, plan.unmeetable, plan.selfApproval]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('[design 11] waits for a kind that is being listed, and reads one by one what cannot be', async () => {
    const { planner, informers, sleeps } = plannerOf();
    informers.fall('ConfigMap', 'unlisted');
    const plan = await planner.plan(holding([configMap('b')]));
    expect(plan.objects.map(({ verdict }) => verdict)).toEqual(['new']);
    expect(sleeps.filter((ms) => ms > 0).every((ms) => ms <= 50)).toBe(true);
    expect(sleeps.filter((ms) => ms > 0).reduce((sum, ms) => sum + ms, 0)).toBeGreaterThanOrEqual(5000);
  });

  it('[issue 10.1] tells what the server may not write yet, and what it may not delete', async () => {
    const lacking = (verb: string) =>
      plannerOf({ objects: [tracker], ownRights: { lacks: async (rights) => rights.filter((right) => right.verb === verb) } }).planner;
    expect((await lacking('patch').plan(holding([configMap('a')]))).ungranted).toContain('shop');
    expect((await lacking('update').plan(holding([configMap('a')]))).ungranted).toBeUndefined();
    expect((await lacking('patch').plan({ ...holding([]), spec: {} })).ungranted, 'what is refused waits for nobody').toBeUndefined();
    expect((await lacking('delete').planDeletion(holding([]), 'keep')).ungranted).toContain('shop');
    expect((await lacking('patch').planDeletion(holding([]), 'keep')).ungranted).toBeUndefined();
  });

  it('[issue 10.1] tells which rights the change needs, and watches no kind for it', async () => {
    const { planner, informers } = plannerOf();
    const needed = await planner.rightsNeeded(holding([configMap('a')]), ada);
    expect(needed?.written.map(({ object, verbs }) => [object.metadata.name, verbs])).toEqual([['a', ['create', 'patch']]]);
    expect(informers.all().map(({ scope }) => scope.kind)).not.toContain('ConfigMap');
    const same = plannerOf({ objects: [revisionOf(holding([configMap('a')])).object] });
    expect(await same.planner.rightsNeeded(holding([configMap('a')]), ada)).toBeUndefined();
  });

  it('[issue 10.1] goes by whoever changes the labels, and by whoever is noted where nobody does', async () => {
    const labelled = holding([configMap('a')], {}, { labels: { team: 'a' }, annotations: { [REQUESTED_BY.user]: 'bob' } });
    const stored = { ...labelled, metadata: { ...labelled.metadata, labels: {} } };
    const changed = await plannerOf({ objects: [stored], may: false }).planner.plan(labelled, ada);
    expect(changed.withheld).toContain('team of Application web in shop, changed by ada, is not propagated');
    const kept = await plannerOf({ objects: [labelled], may: false }).planner.plan(labelled, ada);
    expect(kept.withheld).toContain('changed by bob');
  });

  it('[issue 10.2] says that nobody could ever open a gate, and whom it keeps from approving', async () => {
    const approvers = () => [{ user: 'ada', groups: ['ops'] }] as never;
    const two = shop('web:1', approvals({ required: 2 }));
    expect((await plannerOf({ approvers }).planner.plan(two, ada)).unmeetable).toBeDefined();
    expect((await plannerOf({ approvers }).planner.plan(shop('web:1', approvals({ required: 1 })), ada)).unmeetable).toBeUndefined();
    // What is in force already was asked about when it came.
    const policy = { gates: 'every-stage', approvals: { required: 2 } };
    const at = { name: 'web', namespace: 'shop', uid: 'ro' };
    const driven = { ...KINDS.rolloutOrchestrator, metadata: at, spec: { targetRevisions: [], control: policy } };
    expect((await plannerOf({ approvers, objects: [driven] }).planner.plan(two, ada)).unmeetable).toBeUndefined();
    const account = { user: 'system:serviceaccount:flux:flux', groups: [] };
    const own = shop('web:1', approvals({ required: 1, allowSelf: false }));
    expect((await plannerOf().planner.plan(own, account)).selfApproval).toBeDefined();
    const noted = { ...own, metadata: { ...own.metadata, annotations: { [REQUESTED_BY.user]: account.user } } };
    expect((await plannerOf().planner.plan(noted)).selfApproval).toBeDefined();
    expect((await plannerOf().planner.plan(plain('web:1'), account)).selfApproval).toBeUndefined();
  });

  it('[design 8] moves values out of an application, and leaves one alone that has none', async () => {
    const { planner } = plannerOf();
    const bare = holding([configMap('a')]);
    expect(await planner.extractValues(bare)).toEqual({ object: bare, secrets: [] });
    const secret = holding([{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { token: 'canary-11' } }]);
    const { object, secrets } = await planner.extractValues(secret);
    expect([JSON.stringify(object).includes('canary-11'), secrets.length]).toEqual([false, 1]);
    const plan = await planner.plan(object, ada, { secrets });
    expect(plan.objects.map(({ verdict }) => verdict)).toEqual(['new']);
    expect((await planner.plan(object, ada)).refused, 'the values were not written').toContain('does not exist');
    expect((await planner.plan(secret, ada)).objects.map(({ verdict }) => verdict)).toEqual(['new']);
  });

  it('[design 11] plans the end, with the objects or without them', async () => {
    const objects = [tracker, configMap('a', {}, { namespace: 'shop', uid: 'u' })];
    const { planner } = plannerOf({ objects });
    const whole = await planner.planDeletion(holding([]), 'delete' as never);
    expect(whole.items.map(({ item, live }) => [item.id, item.verdict, live?.metadata.name])).toEqual([
      ['ConfigMap/shop/a', 'deleted', 'a'],
    ]);
    const kept = await planner.planDeletion(holding([]), 'keep');
    expect(kept.items.map(({ item }) => item.verdict)).not.toContain('deleted');
    expect([whole.ungranted, kept.digest === whole.digest]).toEqual([undefined, false]);
  });

  it('[design 11] gives its copies back', async () => {
    const { planner } = plannerOf();
    planner[Symbol.dispose]();
    const used = plannerOf();
    const open = used.informers.open.bind(used.informers);
    let held = 0;
    used.informers.open = (scope) => {
      held += 1;
      const release = () => {
        held -= 1;
      };
      return { ...open(scope), release };
    };
    await used.planner.plan(holding([configMap('a')]));
    expect(held).toBeGreaterThan(6);
    await used.planner.plan(holding([configMap('a')]));
    used.planner[Symbol.dispose]();
    expect(held).toBe(0);
  });
});
