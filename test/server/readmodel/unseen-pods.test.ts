import { describe, expect, it } from 'vitest';
import type { RolloutDetail } from '@/lib/contract/rollout-rows';
import { readNumber, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { toIso } from '@/lib/std/instant';
import { requireFresh } from '@/server/commands/stage-decision';
import { PolledKinds } from '@/server/status';
import { aStorefront } from '../../support/applications';
import type { House } from '../../support/house';
import { startHouse } from '../../support/house';
import { silentLog } from '../../support/silent-log';
import type { Rows } from './rig';
import { openRows, treeOf } from './rig';

const EVERY_MS = 10_000;
const ALWAYS = { times: Number.POSITIVE_INFINITY };
const FORBIDDEN = 'pods is forbidden: User "slipway" cannot list resource "pods"';

function startPolls(house: House, rows: Rows): PolledKinds {
  const { informers, cluster, clock } = house;
  const polls = new PolledKinds({ informers, cluster, status: rows.status, clock, log: silentLog, pollIntervalMs: EVERY_MS });
  polls.start();
  return polls;
}

/** Takes the rights to list and to watch pods away; what it answers gives them back. */
function takePodsAway(house: House): () => void {
  const ends = (['watch', 'list'] as const).map((verb) => house.faults.fail({ verb, kind: 'Pod' }, 403, { ...ALWAYS, message: FORBIDDEN }));
  house.faults.cutWatches({ kind: 'Pod' });
  return () => {
    for (const end of ends) end();
  };
}

const storedOf = (house: House) => house.informers.open(KINDS.rolloutOrchestrator).store.get(`${house.ns}/web`);
const stateOf = (house: House) => readString(storedOf(house), 'status', 'control', 'state');

async function beginSecond(
  house: House,
  control: Readonly<Record<string, unknown>>,
  annotations: Readonly<Record<string, string>> = {},
): Promise<void> {
  await house.apply(aStorefront({ control }));
  await house.until('the first revision is at rest', () => stateOf(house) === 'done');
  await house.apply(aStorefront({ control, annotations, image: 'registry.example.com/web:2' }));
}

describe('a rollout whose pods may not be read any more', () => {
  it('[issue 9.3] neither passes a soak nor comes to its end by what was known, says which right is missing and since when, and goes on with the right', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await using _polls = startPolls(house, rows);
    await beginSecond(house, { requiredSoakTime: '30s', autoAbort: { failureLimit: 0, intervalSeconds: 5 } });
    await house.until(
      'stage 1 soaks',
      () => stateOf(house) === 'boundary' && readNumber(storedOf(house), 'status', 'control', 'stage') === 1,
    );
    const giveBack = takePodsAway(house);
    const says = (): RolloutDetail['wait'] => rows.rollout().wait;
    await house.until('the page says so', () => says().sentence.includes(FORBIDDEN), 60_000);
    expect(says().sentence).toMatch(/^Pod objects of its namespace have been unreadable since 20\S+Z: pods is forbidden/);
    await house.advance(600_000);
    expect([stateOf(house), readNumber(storedOf(house), 'status', 'control', 'stage')]).toEqual(['boundary', 1]);
    expect(readString(storedOf(house), 'status', 'control', 'message')).toBe(says().sentence);
    expect(rows.rollout()).toMatchObject({ phase: 'Paused', activity: 'held' });
    giveBack();
    await house.until('it is at its end', () => stateOf(house) === 'done', 300_000);
  });

  it('[issue 9.3] is not aborted by pods without an image of which there is only an old copy, and is by what can be seen', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await using _polls = startPolls(house, rows);
    const control = { progressDeadlineSeconds: 3600, autoAbort: { failureLimit: 3, intervalSeconds: 10 } };
    await beginSecond(house, control, { 'sim.slipway.dev/fail': 'image-pull' });
    const failures = () => readNumber(storedOf(house), 'status', 'control', 'health', 'failures') ?? 0;
    await house.until('a sample failed', () => failures() > 0, 120_000);
    const giveBack = takePodsAway(house);
    await house.advance(600_000);
    expect([stateOf(house), failures() <= 3]).toEqual(['stage', true]);
    giveBack();
    await house.until('it is aborted', () => stateOf(house) === 'returning' || stateOf(house) === 'aborted', 300_000);
  });
});

describe('one namespace whose polls do not come through', () => {
  it('[issue 9.1] is as old as its own last poll on the page and to every act, whatever the polls of another namespace do', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    const other = `${house.ns}-other`;
    await house.apply(aStorefront());
    // Answered as the clock moves.
    void house.cluster.create({ ...KINDS.namespace, metadata: { name: other } });
    void house.cluster.create({ ...aStorefront(), metadata: { name: 'web', namespace: other } });
    const podsOf = (ns: string) => treeOf(rows, { ns, name: 'web' }).filter(({ kind, origin }) => kind === 'Pod' && origin === 'generated');
    const podIn = (ns: string) => podsOf(ns)[0]?.known;
    await house.until('pods run in both', () => [house.ns, other].every((ns) => podsOf(ns).some(({ health }) => health === 'Current')));
    house.faults.fail({ verb: 'watch', kind: 'Pod' }, 405, { ...ALWAYS, message: 'no watch' });
    house.faults.cutWatches({ kind: 'Pod' });
    await using _polls = startPolls(house, rows);
    await house.until('both are polled', () => [house.ns, other].every((ns) => podIn(ns)?.source === 'poll'), 60_000);
    house.faults.fail({ verb: 'list', kind: 'Pod', namespace: house.ns }, 500, { ...ALWAYS, message: 'etcd is slow' });
    const lastRead = house.clock.now();
    await house.advance(5 * EVERY_MS);

    const known = podIn(house.ns);
    expect(known?.source).toBe('cache');
    expect(Date.parse(known?.at ?? '')).toBeLessThanOrEqual(lastRead);
    expect(Date.parse(podIn(other)?.at ?? '')).toBeGreaterThan(house.clock.now() - 2 * EVERY_MS);
    const sentence = `Pod objects of namespace ${house.ns} cannot be read: etcd is slow.`;
    expect(rows.model.trouble({ ns: house.ns, name: 'web' })?.sentence).toBe(sentence);
    expect(rows.see({ kind: 'rollout', ns: house.ns, name: 'web' })?.freshness.stale?.reason).toBe(sentence);
    expect(rows.see({ kind: 'rollout', ns: other, name: 'web' })?.freshness).toMatchObject({ stale: null });

    const freshness = (place: { readonly ns: string; readonly name: string }) => {
      const trouble = rows.model.trouble(place);
      return { stale: trouble === undefined ? null : { since: toIso(trouble.since), reason: trouble.sentence } };
    };
    const approve = (ns: string) => requireFresh('approve', { freshness } as Parameters<typeof requireFresh>[1], { ns, name: 'web' }); // it asks for nothing else
    expect(() => approve(house.ns)).toThrow(sentence);
    expect(() => approve(other)).not.toThrow();
  });
});
