import { describe, expect, it } from 'vitest';
import type { TrackerDetail } from '@/lib/contract/tracker-rows';
import { readList, readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { PolledKinds } from '@/server/status';
import { aStorefront } from '../../support/applications';
import type { House } from '../../support/house';
import { startHouse } from '../../support/house';
import { silentLog } from '../../support/silent-log';
import type { Rows } from './rig';
import { openRows } from './rig';

const EVERY_MS = 10_000;
const ALWAYS = { times: Number.POSITIVE_INFINITY };
const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' } as const;
const UNKNOWN = /it was last checked at 20\S+Z: etcd is slow/;

function pollConfigMaps(house: House, rows: Rows): PolledKinds {
  const { informers, cluster, clock } = house;
  house.faults.fail({ verb: 'watch', kind: 'ConfigMap' }, 405, { ...ALWAYS, message: 'no watch' });
  house.faults.cutWatches({ kind: 'ConfigMap' });
  const polls = new PolledKinds({ informers, cluster, status: rows.status, clock, log: silentLog, pollIntervalMs: EVERY_MS });
  polls.start();
  return polls;
}

const entryOf = (house: House, rows: Rows, name: string) => {
  const detail = rows.see({ kind: 'tracker', name: `web-v1-${house.ns}` })?.rows[0] as TrackerDetail | undefined; // rows are JSON
  return detail?.entries.find((entry) => entry.name === name);
};
const applicationOf = (house: House) => house.informers.open(KINDS.application).store.get(`${house.ns}/web`);
const conditionsOf = (house: House) =>
  readList(applicationOf(house), 'status', 'conditions').map((one) => readString(one, 'message') ?? '');

describe('an object that is absent by a poll which is old', () => {
  it('[issue 9.1] is unknown on its page, in the comparison and to the engine, which deletes nothing; and gone once that is known again', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await house.apply(aStorefront({ configMaps: ['dropped', 'kept'] }));
    await house.until('the first revision is at rest', () => entryOf(house, rows, 'dropped')?.health === 'Current');
    await using _polls = pollConfigMaps(house, rows);
    void house.cluster.delete({ ...CONFIG_MAP, name: 'dropped', namespace: house.ns }); // answered as the clock moves
    await house.until('a poll tells that it is gone', () => entryOf(house, rows, 'dropped')?.health === 'NotFound', 60_000);
    const allow = house.faults.fail({ verb: 'list', kind: 'ConfigMap' }, 500, { ...ALWAYS, message: 'etcd is slow' });
    await house.advance(5 * EVERY_MS);

    expect(entryOf(house, rows, 'dropped')).toMatchObject({ health: 'Unknown', message: expect.stringMatching(UNKNOWN) });
    await house.apply(aStorefront({ configMaps: ['kept'], image: 'registry.example.com/web:2' }));
    await house.until('the engine says so', () => conditionsOf(house).some((message) => UNKNOWN.test(message)), 300_000);
    expect(conditionsOf(house).join()).toContain('nothing is deleted while the state of ConfigMap');
    const compared = rows.model.compareTrackers(`web-v1-${house.ns}`, `web-v2-${house.ns}`);
    expect(compared.rows.find(({ name }) => name === 'dropped')).toMatchObject({ verdict: 'held', why: expect.stringMatching(UNKNOWN) });
    expect(compared.refused).toMatch(UNKNOWN);

    allow();
    await house.until('the rest is collected', () => rows.see({ kind: 'tracker', name: `web-v1-${house.ns}` }) === undefined, 300_000);
  });
});
