import { describe, expect, it } from 'vitest';
import type { ApplicationDetail, ApplicationRow } from '@/lib/contract/application-rows';
import { countChanges } from '@/lib/contract/change-rows';
import type { RolloutDetail, RolloutRow } from '@/lib/contract/rollout-rows';
import type { InboxRow, StatusRow } from '@/lib/contract/system-rows';
import type { Topic } from '@/lib/contract/topic';
import type { TrackerDetail, TrackerRow } from '@/lib/contract/tracker-rows';
import { readList, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { aStorefront } from '../../support/applications';
import { decide } from '../../support/decisions';
import type { House } from '../../support/house';
import { startHouse } from '../../support/house';
import { toldOf } from '../../support/told';
import { bringToGate, GATED, openRows, treeOf } from './rig';

// Rows are JSON on the wire; their schemas are checked where the browser reads them.
function rowsOf<Row>(seen: { readonly rows: readonly unknown[] } | undefined): readonly Row[] {
  return (seen?.rows ?? []) as readonly Row[];
}

const APPLICATIONS: Topic = { kind: 'applications', query: {} };
const ROLLOUTS: Topic = { kind: 'rollouts', query: {} };

const trackerOf = (house: House, revision: number) => `web-v${revision}-${house.ns}`;

describe('what the screens show of an application that crashes', () => {
  it('[design 1] says at once that its pods have failed, and does not wait for a deadline', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await house.apply(aStorefront({ annotations: { 'sim.slipway.dev/fail': 'crash-loop' } }));
    const row = () => rowsOf<ApplicationRow>(rows.see(APPLICATIONS))[0];
    await house.until('the application is failing', () => row()?.health === 'Failed', 60_000);
    expect(row()?.message).toMatch(/web-v1: \d+ pods? ha(s|ve) failed/);
  });

  it('[design 14] tells one status with one sentence in row, tree, tracker and the status of the application', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await house.apply(aStorefront({ annotations: { 'sim.slipway.dev/fail': 'crash-loop' } }));
    const sentence = '4 pods have failed: Containers in CrashLoop state: web';
    const services = () => readList(house.informers.open(KINDS.application).store.get(`${house.ns}/web`), 'status', 'services');
    await house.until(
      'the engine tells that the pods have failed',
      () => services().some((one) => readString(one, 'message')?.endsWith(sentence)),
      60_000,
    );
    expect(rowsOf<ApplicationRow>(rows.see(APPLICATIONS))[0]).toMatchObject({
      health: 'Failed',
      message: `Deployment web-v1: ${sentence}`,
    });
    expect(treeOf(rows, { ns: house.ns, name: 'web' }).find(({ kind }) => kind === 'Deployment')).toMatchObject({
      health: 'Failed',
      message: sentence,
    });
    const [tracker] = rowsOf<TrackerDetail>(rows.see({ kind: 'tracker', name: trackerOf(house, 1) }));
    expect(tracker?.entries.find(({ kind }) => kind === 'Deployment')).toMatchObject({ health: 'Failed', message: sentence });
    const application = await house.get(KINDS.application, 'web');
    expect(application && rows.model.objectReader.healthOf(application)).toMatchObject({
      health: 'Failed',
      message: `Deployment web-v1: ${sentence}`,
    });
    expect(rows.model.trackedBy(trackerOf(house, 1))).toEqual({ ns: house.ns, name: 'web' });
    expect(services()).toContainEqual(expect.objectContaining({ name: 'web', healthy: false, message: `Deployment web-v1: ${sentence}` }));
  });

  it('[issue 9.1] tells it on the rollout and in the inbox too, as a failure and in the same words, while the rollout is under way', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    const row = () => rowsOf<ApplicationRow>(rows.see(APPLICATIONS))[0];
    await house.apply(aStorefront());
    await house.until('the first revision runs', () => row()?.health === 'Current');
    await house.apply(aStorefront({ image: 'registry.example.com/web:2', annotations: { 'sim.slipway.dev/fail': 'crash-loop' } }));
    await house.until('both pods of the stage fail', () => /2 pods have failed/.test(row()?.message ?? ''), 60_000);
    const verdict = { health: 'Failed', sentence: 'Deployment web-v2: 2 pods have failed: Containers in CrashLoop state: web' };
    expect(row()).toMatchObject({ health: verdict.health, message: verdict.sentence });
    expect(rowsOf<RolloutRow>(rows.see(ROLLOUTS))).toMatchObject([{ ...verdict, phase: 'Progressing' }]);
    expect(rows.rollout()).toMatchObject({ health: verdict.health, wait: { sentence: verdict.sentence } });
    expect(rowsOf<InboxRow>(rows.see({ kind: 'inbox' }))).toMatchObject([{ ...verdict, group: 'failing', kind: 'rollout' }]);
  });

  it('[design 14] has the rollout abort by the same sentence', async () => {
    await using house = await startHouse();
    const control = { autoAbort: { failureLimit: 0, intervalSeconds: 5 } };
    const rollout = () => house.informers.open(KINDS.rolloutOrchestrator).store.get(`${house.ns}/web`);
    await house.apply(aStorefront({ control }));
    await house.until('the first revision runs', () => readString(rollout(), 'status', 'control', 'phase') === 'Healthy');
    await house.apply(aStorefront({ control, image: 'registry.example.com/web:2', annotations: { 'sim.slipway.dev/fail': 'crash-loop' } }));
    const aborted = () => toldOf(rollout())?.abort?.reason;
    await house.until('it aborts', () => aborted() !== undefined, 120_000);
    const found = /web-v2: (\d+ pods? ha(s|ve) failed: Containers in CrashLoop state: web)$/.exec(aborted() ?? '');
    expect(found).not.toBeNull();
  });
});

const stagesOf = ({ attempts }: RolloutDetail) => attempts[0]?.stages ?? [];

describe('what the screens show of a rollout at a gate', () => {
  it('[design 9] the table of applications names revision, target, stage, images and objects', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await bringToGate(house, rows);
    expect(rowsOf<ApplicationRow>(rows.see(APPLICATIONS))).toEqual([
      expect.objectContaining({
        key: `${house.ns}/web`,
        activity: 'waiting',
        target: 'web-v2',
        stage: { index: 1, count: 2 },
        components: 2,
        images: ['registry.example.com/web:2'],
      }),
    ]);
  });

  it('[rollout 14.5] the page of a rollout tells stages, gates, bounds, why it waits and what may be done', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await bringToGate(house, rows);
    const detail = rows.rollout();
    expect(detail).toMatchObject({
      from: 'web-v1',
      to: 'web-v2',
      activity: 'waiting',
      strategy: 'availability',
      ratio: 50,
      currentStage: 1,
    });
    expect(stagesOf(detail).map(({ index, gate }) => [index, gate])).toEqual([
      [1, 'closed'],
      [2, 'none'],
    ]);
    expect(detail.wait.sentence).toBe('Waiting for 1 approval after stage 1');
    const [old, next] = detail.revisions;
    expect(old).toMatchObject({ revision: 'web-v1', role: 'old', actual: 2, percentByPods: 50 });
    expect(next).toMatchObject({
      revision: 'web-v2',
      role: 'new',
      actual: 2,
      ownMin: 4,
      inForce: 'stage',
      image: 'registry.example.com/web:2',
    });
    const approve = detail.actions.find(({ verb }) => verb === 'approve');
    expect(approve).toMatchObject({
      allowed: true,
      stage: 1,
      revision: 'web-v2',
      seen: { rollout: expect.any(String), garbage: expect.any(String) },
    });
    expect(approve?.consequences.length).toBeGreaterThan(0);
    expect(detail.actions.find(({ verb }) => verb === 'resume')).toMatchObject({ allowed: false, why: expect.any(String) });
  });

  it('[design 9] the page of a rollout tells a deadline while a stage is in progress, and none while only a person is awaited', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    // Three stages: the last one has no deadline, since nothing comes after it.
    await bringToGate(house, rows, { ratio: 30 });
    expect(rows.rollout().deadline).toBeNull();
    await decide(house, 'web', 'approve');
    await house.until('the next stage has a deadline', () => rows.rollout().deadline !== null, 60_000);
    await house.until('the rollout waits again', () => rows.rollout().activity === 'waiting', 60_000);
    expect(rows.rollout().deadline).toBeNull();
  });

  it('[design 9] the page of a rollout tells who scales a revision by load, and within which bounds', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await bringToGate(house, rows, { hpa: { min: 4, max: 8 } });
    const [old, next] = rows.rollout().revisions;
    expect(old?.scaler).toMatchObject({ name: 'web-v1', min: 2, max: 2 });
    expect(next?.scaler).toMatchObject({ name: 'web-v2', min: 2, max: 8 });
    expect(next).toMatchObject({ ownMin: 4, ownMax: 8, stageMin: 2, stageMax: 8 });
    await house.until('it has looked for metrics', () => rows.rollout().revisions[1]?.scaler?.state === 'holding', 60_000);
    expect(rows.rollout().revisions[1]?.scaler?.message).toMatch(/unable to get metrics/);
  });

  it('[design 3] what the end deletes is told before it happens: the dropped object and the old workload, not what is kept', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await bringToGate(house, rows);
    const garbage = rows.model.garbageOfRollout(house.ns, 'web');
    const named = (verdict: string) => garbage.rows.filter((row) => row.verdict === verdict).map(({ kind, name }) => `${kind} ${name}`);
    expect(named('deleted')).toEqual(expect.arrayContaining(['ConfigMap dropped', 'Deployment web-v1']));
    expect(named('deleted')).not.toContain('ConfigMap kept');
    expect(rows.rollout().garbage).toMatchObject({ digest: garbage.digest, deleted: garbage.counts.deleted });
    const { decision, going } = rows.model.waitingOf(house.ns, 'web', { verdict: 'kept' });
    expect(decision.count).toBe(named('deleted').length + named('held').length);
    expect(going).toEqual(countChanges(garbage.rows.filter(({ verdict }) => verdict === 'deleted' || verdict === 'held')).kinds);
    expect(going).toContainEqual({ kind: 'ConfigMap', count: 1 });
  });

  it('[design 9] an aborted rollout stands at the same stage in its row, in the row of its application and on its page', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await bringToGate(house, rows);
    await decide(house, 'web', 'abort', { reason: 'errors' });
    await house.until('it is aborted', () => rows.rollout().activity === 'aborted');
    const detail = rows.rollout();
    const position = { index: detail.currentStage, count: detail.stageCount };
    expect(rowsOf<RolloutRow>(rows.see(ROLLOUTS))[0]?.stage).toEqual(position);
    expect(rowsOf<ApplicationRow>(rows.see(APPLICATIONS))[0]?.stage).toEqual(position);
    expect(stagesOf(detail).map(({ way, index, state }) => `${way} ${index} ${state}`)).toEqual(['forward 1 done', 'back 1 done']);
    expect(detail.attempts[0]).toMatchObject({ outcome: 'aborted', to: 'web-v2', from: ['web-v1'] });
    expect(detail.decisions[0]).toMatchObject({ verb: 'abort', user: 'ann', reason: 'errors', phase: 'Accepted' });
    expect(detail.timeline.map(({ action }) => action)).toEqual(expect.arrayContaining(['rollout.started']));
  });

  it('[design 9] promoted fully, the stage under way is the last one, there and once it is done', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await bringToGate(house, rows);
    const planned = stagesOf(rows.rollout()).length;
    await decide(house, 'web', 'promote-full', { reason: 'seen enough' });
    await house.until('it is promoted', () => rows.rollout().promoted);
    const promoted = rows.rollout();
    expect(stagesOf(promoted).length).toBe(promoted.currentStage);
    expect(
      stagesOf(promoted)
        .at(-1)
        ?.entries.find(({ revision }) => revision === 'web-v2')?.percent,
    ).toBe(100);
    await house.until('it is done', () => rows.rollout().activity === 'idle');
    expect(stagesOf(rows.rollout()).map(({ state }) => state)).toEqual(stagesOf(rows.rollout()).map(() => 'done'));
    expect(stagesOf(rows.rollout()).length).toBeLessThanOrEqual(planned);
  });

  it('[design 1] the newest revision is the target until the old one is collected, then the current one, and nothing else between', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await bringToGate(house, rows);
    const newest = () => {
      const [detail] = rowsOf<ApplicationDetail>(rows.see({ kind: 'application', ns: house.ns, name: 'web' }));
      return detail?.revisions[0]?.state;
    };
    const seen = new Set<string | undefined>();
    await decide(house, 'web', 'promote-full', { reason: 'seen enough' });
    await house.until('the newest revision is the current one', () => seen.add(newest()).has('current'));
    expect([...seen]).toEqual(['target', 'current']);
  });
});

describe('what the screens show of trackers', () => {
  it('[dispatch 3] the ledger says who owns each object now, and what is owned without being listed', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await bringToGate(house, rows);
    const tracker = await house.get(KINDS.resourceTracker, trackerOf(house, 2), undefined);
    await house.apply({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'smuggled',
        ownerReferences: [{ ...KINDS.resourceTracker, name: trackerOf(house, 2), uid: tracker?.metadata.uid ?? '' }],
      },
    });
    await house.until('the copy has it', () => rows.see({ kind: 'tracker', name: trackerOf(house, 2) }) !== undefined);
    await house.advance(1000);
    const [old] = rowsOf<TrackerDetail>(rows.see({ kind: 'tracker', name: trackerOf(house, 1) }));
    const [next] = rowsOf<TrackerDetail>(rows.see({ kind: 'tracker', name: trackerOf(house, 2) }));
    const of = (name: string) => old?.entries.find((entry) => entry.name === name);
    expect([of('dropped'), of('web-v1'), of('kept')].map((entry) => [entry?.verdict, entry?.fate])).toEqual([
      ['deleted', 'deleted'],
      ['deleted', 'deleted'],
      ['handed-over', 'handed-over'],
    ]);
    const waiting = rowsOf<TrackerRow>(rows.see({ kind: 'trackers', query: { sort: 'waiting', desc: true } }));
    expect(waiting.map(({ name, waiting: count }) => [name, count])).toEqual([
      [trackerOf(house, 1), old?.entries.filter(({ verdict }) => verdict === 'deleted').length],
      [trackerOf(house, 2), 0],
    ]);
    const kept = (detail: TrackerDetail | undefined) => detail?.entries.find(({ kind, name }) => kind === 'ConfigMap' && name === 'kept');
    expect([old?.state, next?.state]).toEqual(['current', 'target']);
    expect(kept(old)).toMatchObject({ exists: true, ownedByThis: false, ownedBy: trackerOf(house, 2), health: 'Current' });
    expect(kept(next)).toMatchObject({ ownedByThis: true });
    expect(next?.unlisted).toEqual([{ apiVersion: 'v1', kind: 'ConfigMap', ns: house.ns, name: 'smuggled' }]);
    expect(next?.siblings).toEqual([{ name: trackerOf(house, 1), revision: 'web-v1', state: 'current' }]);
  });

  it('[dispatch 8] comparing two tells deleted, handed over and new apart', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await bringToGate(house, rows);
    const { rows: compared } = rows.model.compareTrackers(trackerOf(house, 1), trackerOf(house, 2));
    const verdictOf = (name: string) => compared.find((row) => row.name === name)?.verdict;
    expect([verdictOf('dropped'), verdictOf('kept'), verdictOf('added')]).toEqual(['deleted', 'handed-over', 'new']);
    expect(() => rows.model.compareTrackers(trackerOf(house, 1), 'nobody')).toThrow('there is no ResourceTracker nobody');
  });
});

describe('the inbox', () => {
  it('[design 9] puts what waits for a person before what fails, and that before what moves', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await bringToGate(house, rows);
    await house.apply({
      ...KINDS.application,
      metadata: { name: 'broken' },
      spec: { components: [{ name: 'one', type: 'no-such-type', properties: {} }] },
    });
    await house.apply(aStorefront({ name: 'slow', annotations: { 'sim.slipway.dev/start': '10m' } }));
    const groups = () => rowsOf<InboxRow>(rows.see({ kind: 'inbox' })).map(({ group, name }) => `${group} ${name}`);
    const order = ['waits web', 'failing broken', 'moving slow'];
    await house.until('all three are there in this order', () => groups().join() === order.join(), 60_000);
    const [first] = rowsOf<InboxRow>(rows.see({ kind: 'inbox' }));
    expect(first).toMatchObject({
      title: 'Stage 1 of 2 waits',
      decider: { verb: 'approve', groups: [], not: [] },
      href: `/rollouts/${house.ns}/web`,
    });
  });
});

describe('who sees what', () => {
  it.each([
    ['applications', APPLICATIONS],
    ['rollouts', ROLLOUTS],
    ['trackers', { kind: 'trackers', query: {} }],
    ['inbox', { kind: 'inbox' }],
  ] as const)('[design 8] %s hold only rows of namespaces that the reader may see', async (_name, topic) => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await bringToGate(house, rows);
    expect(rows.see(topic, [house.ns])?.total).toBeGreaterThan(0);
    expect(rows.see(topic, ['elsewhere'])).toMatchObject({ total: 0, rows: [] });
    expect(rows.see({ kind: 'status' }, ['elsewhere'])?.rows[0]).toMatchObject({
      namespaces: [],
      waiting: '',
      counts: { waits: 0, applications: 0 },
    });
    expect(rows.see({ kind: 'status' }, [])?.rows[0]).toMatchObject({ namespaces: [], counts: null });
    expect(rows.see({ kind: 'status' }, [house.ns])?.rows[0]).toMatchObject({ counts: { applications: 1 } });
  });

  it('[issue 14.3] the status names what waits otherwise once something else waits or another person may decide it', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    const named = () => rowsOf<StatusRow>(rows.see({ kind: 'status' }))[0]?.waiting;
    expect(named()).toBe('');
    await bringToGate(house, rows);
    const first = named();
    expect(first).not.toBe('');
    expect(named()).toBe(first);
    await decide(house, 'web', 'approve');
    await house.until('it waits no more, or at another gate', () => named() !== first);
  });

  it('[design 9] a list is filtered, sorted and paged, and tells how many match', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    for (const name of ['a', 'b', 'c']) await house.apply(aStorefront({ name, ...GATED }));
    await house.until('all are there', () => rows.see(APPLICATIONS)?.total === 3);
    const page = rows.see({ kind: 'applications', query: { sort: 'name', desc: true, page: 1, size: 2 } });
    expect([page?.total, page?.order]).toEqual([3, [`${house.ns}/a`]]);
    expect(rows.see({ kind: 'applications', query: { q: `${house.ns}/b` } })?.total).toBe(1);
    expect(rows.see({ kind: 'application', ns: house.ns, name: 'nobody' })).toBeUndefined();
  });
});
