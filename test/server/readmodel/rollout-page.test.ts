import { describe, expect, it } from 'vitest';
import type { ApplicationDetail } from '@/lib/contract/application-rows';
import type { RolloutDetail } from '@/lib/contract/rollout-rows';
import type { InboxRow } from '@/lib/contract/system-rows';
import { readNumber } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { scopeOf } from '@/server/commands/objects/scope';
import { brokenRolloutDetail } from '@/server/readmodel/broken-rows';
import { aStorefront } from '../../support/applications';
import { decide } from '../../support/decisions';
import type { House } from '../../support/house';
import { startHouse } from '../../support/house';
import type { Rows } from './rig';
import { bringToGate, openRows, treeOf } from './rig';

// Ten replicas, 45% a stage: the engine's steps are at 50% and 100%, so a gate at 38% holds once.
const SOAK = { requiredSoakTime: '10m' } as const;
const POLICY = { replicas: 10, ratio: 45, gates: [{ atPercent: 38 }] } as const;

async function deploy(house: House, revision: string, replicas: number): Promise<void> {
  const labels = { 'serving.knative.dev/service': 'web', 'serving.knative.dev/revision': revision };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'registry.example.com/web:1' }] } };
  await house.apply({
    ...KINDS.deployment,
    metadata: { name: revision, labels },
    spec: { replicas, selector: { matchLabels: labels }, template },
  });
}

/** The same change as `bringToGate` makes of an application, by nothing but a RolloutOrchestrator. */
async function bringToGateByKubectl(house: House, rows: Rows): Promise<void> {
  await deploy(house, 'web-v1', POLICY.replicas);
  await deploy(house, 'web-v2', 0);
  await house.until('the first revision runs', async () => (await house.ready('web-v1')) === POLICY.replicas);
  const entry = (revisionName: string) => ({ revisionName, percent: 100, minScale: POLICY.replicas, maxScale: POLICY.replicas });
  const control = { gates: POLICY.gates, scaleDownDelaySeconds: 1, abortScaleDownDelaySeconds: 1 };
  await house.apply({
    ...KINDS.rolloutOrchestrator,
    metadata: { name: 'web' },
    spec: {
      initialRevisions: [entry('web-v1')],
      targetRevisions: [entry('web-v2')],
      rolloutStrategy: 'availability',
      overConsumptionRatio: POLICY.ratio,
      control,
    },
  });
  await house.until('it waits at a gate', () => activityOf(house, rows) === 'waiting');
}

function activityOf(house: House, rows: Rows): string | undefined {
  const row = rows.see({ kind: 'rollout', ns: house.ns, name: 'web' })?.rows[0];
  return row === undefined ? undefined : rows.rollout().activity;
}

/** What a person reads on the page: the rail, why it waits, and what each verb does. */
function readPage({ attempts, wait, actions, revisions, activity, phase }: RolloutDetail) {
  return {
    activity,
    phase,
    wait,
    rail: attempts[0]?.stages.map(({ startedAt: _from, finishedAt: _to, ...stage }) => stage),
    actions: actions.map(({ verb, allowed, why, consequences, replicas, peak }) => ({ verb, allowed, why, consequences, replicas, peak })),
    shares: revisions.map(({ revision, role, percentByPods, percentPlanned }) => ({ revision, role, percentByPods, percentPlanned })),
  };
}

const applicationOf = (house: House, rows: Rows) =>
  rows.see({ kind: 'application', ns: house.ns, name: 'web' })?.rows[0] as unknown as ApplicationDetail;
const inboxOf = (rows: Rows) => (rows.see({ kind: 'inbox' })?.rows ?? []) as unknown as readonly InboxRow[];

describe('the page of a rollout', () => {
  it('[issue 9.3] shows the same rail in the same words, whether kubectl made it or an application', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await bringToGate(house, rows, POLICY);
    const byConsole = readPage(rows.rollout());
    await using other = await startHouse();
    await using otherRows = await openRows(other);
    await bringToGateByKubectl(other, otherRows);
    const byKubectl = readPage(otherRows.rollout());
    const withoutBack = ({ actions, ...page }: typeof byConsole) => ({
      ...page,
      actions: actions.filter(({ verb }) => verb !== 'rollback'),
    });
    // Only an application has objects that both revisions share, and puts them back.
    const isShared = (line: string) => line.startsWith('Shared objects, such as');
    const withoutShared = ({ actions, ...page }: typeof byConsole) => ({
      ...page,
      actions: actions.map((action) => ({ ...action, consequences: action.consequences.filter((line) => !isShared(line)) })),
    });
    expect(byConsole.actions.find(({ verb }) => verb === 'abort')?.consequences.filter(isShared)).toHaveLength(1);
    expect(withoutBack(byKubectl)).toEqual(withoutBack(withoutShared(byConsole)));
    expect(byKubectl.actions.find(({ verb }) => verb === 'rollback')).toMatchObject({
      allowed: false,
      why: 'a rollback changes the application, and this rollout has none; change its target instead',
    });
    expect(byConsole.rail?.map(({ index, state, gate }) => `${index} ${state} ${gate}`)).toEqual([
      '1 done closed',
      '2 planned none',
      '3 planned none',
    ]);
  });

  it('[issue 14.1] counts the workloads that a rollout names and their pods as part of it, also where no application made it', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await bringToGateByKubectl(house, rows);
    await deploy(house, 'other', 1);
    await house.until('another workload runs', async () => (await house.ready('other')) === 1);
    const rollout = await house.get(KINDS.rolloutOrchestrator, 'web');
    if (rollout === undefined) throw new Error('the rollout is gone');
    const belongs = (object: KubeObject) =>
      rows.model.objectReader.isPartOf(rollout, { ...object, ns: house.ns, name: object.metadata.name ?? '' });
    const workloads = await house.list(KINDS.deployment);
    expect(workloads.filter(belongs).map(({ metadata }) => metadata.name)).toEqual(['web-v1', 'web-v2']);
    const pods = await house.list({ apiVersion: 'v1', kind: 'Pod' });
    const workloadsOf = (some: typeof pods) =>
      [...new Set(some.map(({ metadata: { name = '' } }) => name.replace(/-[^-]+-[^-]+$/, '')))].sort();
    expect(workloadsOf(pods.filter(belongs))).toEqual(['web-v1', 'web-v2']);
    expect(workloadsOf(pods.filter((pod) => !belongs(pod)))).toEqual(['other']);
  });

  it('[issue 14.1] tells whoever follows its events also those of a workload that it names only since', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await bringToGateByKubectl(house, rows);
    const rollout = await house.get(KINDS.rolloutOrchestrator, 'web');
    if (rollout === undefined) throw new Error('the rollout is gone');
    const before: KubeObject = { ...rollout, metadata: { ...rollout.metadata, resourceVersion: '1' }, spec: {}, status: {} };
    const ofWorkload = { ...KINDS.deployment, ns: house.ns, name: 'web-v2', uid: 'any' };
    expect(rows.model.objectReader.isPartOf(before, ofWorkload)).toBe(false);
    const scope = scopeOf(rows.model, before);
    expect(scope.belongs(ofWorkload)).toBe(true);
    expect(scope.version()).toBe(rollout.metadata.resourceVersion);
    const another = scopeOf(rows.model, { ...before, metadata: { ...before.metadata, uid: 'another' } });
    expect([another.belongs(ofWorkload), another.version()]).toEqual([false, '1']);
  });

  it('[issue 9.3] tells the share of ready pods as that, for no router is driven', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await bringToGate(house, rows);
    const page = rows.rollout();
    expect(page.trafficBy).toBe('pods');
    expect(page.revisions.map(({ percentByPods }) => percentByPods)).toEqual([50, 50]);
    const promised = page.actions.flatMap(({ consequences }) => consequences).filter((sentence) => sentence.includes('traffic'));
    for (const sentence of promised.filter((one) => one.includes('%'))) expect(sentence).toContain('by pod ratio');
  });

  it('[issue 9.3] keeps the stages of an attempt after an abort, and each attempt by itself', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await bringToGate(house, rows);
    await decide(house, 'web', 'abort', { reason: 'errors' });
    await house.until('it is aborted', () => rows.rollout().activity === 'aborted');
    const [aborted] = rows.rollout().attempts;
    expect(aborted?.stages[0]).toMatchObject({
      way: 'forward',
      state: 'done',
      entries: expect.arrayContaining([expect.objectContaining({ revision: 'web-v2' })]),
    });
    await decide(house, 'web', 'retry');
    await house.until('it waits at the gate again', () => rows.rollout().activity === 'waiting');
    const attempts = rows.rollout().attempts;
    expect(attempts.map(({ kind, outcome }) => `${kind} ${outcome}`)).toEqual(['retry under-way', 'rollout aborted', 'rollout completed']);
    expect(attempts[1]?.stages.map(({ way, state }) => `${way} ${state}`)).toEqual(['forward done', 'back done']);
    expect(attempts[1]?.stages.map(({ percent }) => percent)).toEqual([50, 0]);
    expect(attempts[1]?.endedAt).toEqual(expect.any(String));
  });

  it('[issue 9.3] says until when a rejected revision still serves', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await bringToGate(house, rows, { control: { abortScaleDownDelaySeconds: 600 } });
    await decide(house, 'web', 'abort', { reason: 'errors' });
    await house.until('the stable side is back', async () => (await house.ready('web-v1')) === 4);
    const { abort, wait, attempts } = rows.rollout();
    expect(abort).toMatchObject({
      rejected: 'web-v2',
      stable: ['web-v1'],
      reason: 'errors',
      isReturned: false,
      keptUntil: expect.any(String),
    });
    expect(wait.sentence).toBe(`web-v2 still serves: its pods are kept until ${abort?.keptUntil}`);
    // On the rail every stage tells the share of the target, the way back too.
    expect(attempts[0]?.stages.map(({ way, percent }) => `${way} ${percent}`)).toEqual(['forward 50', 'back 0']);
    expect(inboxOf(rows)).toMatchObject([{ group: 'moving', title: 'web-v2 is being aborted' }]);
  });

  it('[issue 9.3] after an abort the application says so in one line, and its rejected objects are neither failure nor drift', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await bringToGate(house, rows);
    await decide(house, 'web', 'abort', { reason: 'errors' });
    await house.until('it is aborted', () => rows.rollout().activity === 'aborted');
    await house.advance(5_000);
    const { notice, health, message, drift, revisions } = applicationOf(house, rows);
    expect(notice).toMatch(/^web-v2 was aborted: errors; all traffic goes to web-v1/);
    // The change has failed, and that is said once; nothing of what runs has.
    expect([health, message]).toEqual(['Failed', notice]);
    expect(treeOf(rows, { ns: house.ns, name: 'web' }).filter((node) => node.kind !== 'Application' && node.health !== 'Current')).toEqual(
      [],
    );
    expect(inboxOf(rows)).toMatchObject([{ group: 'failing', kind: 'rollout', title: 'web-v2 was aborted' }]);
    expect(drift).toMatchObject({ drifted: 0, revision: 'web-v1' });
    expect(revisions.find(({ name }) => name === 'web-v2')?.state).toBe('rejected');
  });

  it('[issue 9.3] names the field of a policy that cannot be read, and offers nothing', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    // An application would put its own policy back.
    await bringToGateByKubectl(house, rows);
    const at = { ...KINDS.rolloutOrchestrator, namespace: house.ns, name: 'web' };
    await house.cluster.patch(at, { type: 'merge', body: { spec: { control: { gates: 'every-stge' } } } });
    await house.until('it is told', () => rows.rollout().phase === 'Degraded');
    expect(rows.rollout().wait.sentence).toContain('spec.control.gates');
    expect(rows.rollout().actions.filter(({ allowed }) => allowed)).toEqual([]);
    expect(inboxOf(rows).find(({ kind }) => kind === 'rollout')).toMatchObject({
      group: 'failing',
      sentence: rows.rollout().wait.sentence,
    });
  });

  it('[issue 9.3] refuses every verb with the sentence who drives, while another controller does', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await bringToGate(house, rows);
    const opened = rows.model.open({ kind: 'rollout', ns: house.ns, name: 'web' }, 'all');
    let told = 0;
    opened?.onDirty(() => void told++);
    rows.engine = {
      mode: 'observe',
      why: 'Deployment progressive-rollout in default drives rollouts in this cluster; Slipway only observes',
    };
    const { actions, engine } = rows.rollout();
    expect(engine.mode).toBe('observe');
    // Also where the page of the rollout cannot be made.
    const object = await house.get(KINDS.rolloutOrchestrator, 'web');
    const broken = brokenRolloutDetail(object ?? { ...KINDS.rolloutOrchestrator, metadata: {} }, 'cannot be shown', rows.engine);
    expect(broken).toMatchObject({ takeBack: null, approvals: { asker: null } }); // older names
    expect(broken.engine).toEqual(rows.engine);
    expect(new Set(actions.map(({ why }) => why))).toEqual(new Set([engine.why]));
    await house.advance(1000);
    expect(told, 'a page that is open hears of it').toBeGreaterThan(0);
    rows.engine = { mode: 'stopped', why: 'the installed definition would not keep what the rollout engine writes' };
    expect(rows.rollout()).toMatchObject({ engine: { mode: 'stopped' }, standing: { mode: 'held' } }); // its older name and word
    const { approvals, tighteningUndo, takeBack } = rows.rollout();
    expect([approvals.asker, takeBack]).toEqual([approvals.requester, tighteningUndo]); // older names
    opened?.release();
  });

  it('[issue 9.3] waits for a person in the inbox only where a person is awaited', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await house.apply(aStorefront({ control: SOAK }));
    await house.until('the first revision is at rest', () => activityOf(house, rows) === 'idle');
    await house.apply(aStorefront({ control: SOAK, image: 'registry.example.com/web:2' }));
    await house.until('it soaks', () => activityOf(house, rows) === 'held');
    expect(inboxOf(rows).map(({ group }) => group)).toEqual(['moving']);
  });

  it('[issue 13] draws what runs within a second, seconds before StagePodAutoscalers mirror it', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await bringToGate(house, rows, POLICY);
    await decide(house, 'web', 'abort', { reason: 'errors' });
    const figures = () => rows.rollout().revisions.map(({ revision, desired, actual }) => [revision, desired, actual]);
    await house.until('all runs in the old revision again', () =>
      figures().every(([revision, , actual]) => actual === (revision === 'web-v1' ? POLICY.replicas : 0)),
    );
    await house.advance(1000);
    expect(rows.rollout().revisions.map(({ revision, samples }) => [revision, samples.at(-1)?.desired, samples.at(-1)?.actual])).toEqual(
      figures(),
    );
    const mirrored = await house.get(KINDS.stagePodAutoscaler, 'web-v1');
    expect(readNumber(mirrored ?? {}, 'status', 'actualScale'), 'the mirror').not.toBe(POLICY.replicas);
  });
});
