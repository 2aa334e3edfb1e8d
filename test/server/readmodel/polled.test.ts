import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import { createInformers } from '@/server/kube';
import { createRandom } from '@/server/platform';
import { describePolled, PolledKinds } from '@/server/status';
import { aStorefront } from '../../support/applications';
import type { House } from '../../support/house';
import { startHouse } from '../../support/house';
import { silentLog } from '../../support/silent-log';
import type { Rows } from './rig';
import { openRows, treeOf } from './rig';

const EVERY_MS = 10_000;
const ALWAYS = { times: Number.POSITIVE_INFINITY };

/** Polls what the house's cluster refuses, counting the LISTs of a kind. */
function startPolls(house: House, rows: Rows, counted: string) {
  const lists: (string | undefined)[] = [];
  const { cluster } = house;
  const counting = {
    discovery: cluster.discovery,
    get: cluster.get.bind(cluster),
    list: ((of, options) => {
      if (of.kind === counted) lists.push(of.namespace);
      return cluster.list(of, options);
    }) satisfies typeof cluster.list,
  };
  const polls = new PolledKinds({
    informers: house.informers,
    cluster: counting,
    status: rows.status,
    clock: house.clock,
    log: silentLog,
    pollIntervalMs: EVERY_MS,
  });
  polls.start();
  return { polls, lists };
}

const nodesOf = (house: House, rows: Rows, kind: string) =>
  treeOf(rows, { ns: house.ns, name: 'web' }).filter((node) => node.kind === kind);

describe('what may not be watched', () => {
  it('[issue 9.1] is listed once per group and interval, says so with its age on each row, and is watched again when that is allowed', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await house.apply(aStorefront({}));
    await house.until('the pods run', () => nodesOf(house, rows, 'Pod').some(({ health }) => health === 'Current'));
    const allow = house.faults.fail({ verb: 'watch', kind: 'Pod' }, 405, {
      ...ALWAYS,
      message: 'the server does not allow this method on the requested resource',
    });
    house.faults.cutWatches({ kind: 'Pod' });
    const { polls, lists } = startPolls(house, rows, 'Pod');
    await using _ending = polls;
    await house.until(
      'the pods are polled',
      () => polls.all().length > 0 && nodesOf(house, rows, 'Pod').every(({ known }) => known.source === 'poll'),
    );
    expect(describePolled(polls.all())).toEqual([
      'Pod objects cannot be watched, they are polled every 10s: the server does not allow this method on the requested resource',
    ]);

    expect(polls.findings()).toEqual([
      {
        area: 'watches',
        subject: 'Pod (v1)',
        sentence:
          'Pod objects cannot be watched, they are polled every 10s: the server does not allow this method on the requested resource',
        remedy: null,
      },
    ]);

    lists.length = 0;
    await house.advance(3 * EVERY_MS);
    expect(lists).toEqual([house.ns, house.ns, house.ns]);
    const [pod] = nodesOf(house, rows, 'Pod');
    expect(house.clock.now() - Date.parse(pod?.known.at ?? '')).toBeLessThanOrEqual(EVERY_MS);
    void house.cluster.delete({ ...KINDS.pod, namespace: house.ns, name: pod?.name ?? '' }); // answered as the clock moves
    await house.until(
      'the poll tells that it is gone',
      () => nodesOf(house, rows, 'Pod').every(({ uid }) => uid !== pod?.uid),
      2 * EVERY_MS,
    );
    expect(polls.all()[0]?.round).toMatchObject({ groups: 1, lists: 1, gets: 0, lastError: undefined });

    allow();
    await house.until(
      'the pods are watched again',
      () => nodesOf(house, rows, 'Pod').every(({ known }) => known.source === 'watch'),
      60_000,
    );
    expect(polls.all()).toEqual([]);
  });

  it('[issue 9.1] is read one by one where it may not be listed either, and is Unknown with the server’s sentence, by itself, where not even that', async () => {
    await using house = await startHouse();
    const sentence = 'configmaps "kept" is forbidden: cannot get resource "configmaps"';
    house.faults.fail({ verb: 'list', kind: 'ConfigMap' }, 403, {
      ...ALWAYS,
      message: 'configmaps is forbidden: cannot list resource "configmaps"',
    });
    await using rows = await openRows(house);
    const { polls } = startPolls(house, rows, 'ConfigMap');
    await using _ending = polls;
    await house.apply(aStorefront({ configMaps: ['read', 'kept'] }));
    const one = (name: string) => nodesOf(house, rows, 'ConfigMap').find((node) => node.name === name);
    await house.until('both are read', () => one('read')?.health === 'Current' && one('kept')?.health === 'Current', 60_000);
    const allow = house.faults.fail({ verb: 'get', kind: 'ConfigMap', name: 'kept' }, 403, { ...ALWAYS, message: sentence });
    expect(rows.see({ kind: 'application', ns: house.ns, name: 'web' })?.freshness).toMatchObject({ source: 'poll', stale: null });
    await house.until('one may not be read any more', () => one('kept')?.message.includes(sentence) ?? false, 2 * EVERY_MS);
    expect(one('read')?.health).toBe('Current');
    expect(one('read')).toMatchObject({ known: { source: 'poll' } });
    expect(one('kept')).toMatchObject({ health: 'Unknown' });
    expect(nodesOf(house, rows, 'Deployment')).toMatchObject([{ health: 'Current', known: { source: 'watch' } }]);
    expect(polls.all()[0]).toMatchObject({ verb: 'list', round: { lists: 1, gets: 2 } });
    expect(polls.findings()).toEqual([]);
    allow();
    await house.until('both are read again', () => one('kept')?.health === 'Current', 2 * EVERY_MS);
  });

  it('[issue 9.1] is named where nothing of a kind of ours may be read, instead of an empty table that looks fresh', async () => {
    await using house = await startHouse();
    house.faults.fail({ verb: 'list', kind: 'StageDecision' }, 403, {
      ...ALWAYS,
      message: 'stagedecisions is forbidden: cannot list resource "stagedecisions"',
    });
    const informers = createInformers({ cluster: house.cluster, clock: house.clock, random: createRandom(1), log: silentLog });
    await using _copies = informers;
    const other: House = Object.create(house, { informers: { value: informers } });
    await using rows = await openRows(other);
    const { polls } = startPolls(other, rows, 'StageDecision');
    await using _ending = polls;
    const stale = () => rows.see({ kind: 'applications', query: {} })?.freshness.stale;
    await house.until(
      'it is named',
      () => stale()?.reason.includes('StageDecision objects may not be read: stagedecisions is forbidden') ?? false,
      60_000,
    );
  });
});
