import { describe, expect, it } from 'vitest';
import type { LedgerHead, LedgerLine } from '@/lib/contract/history/ledger-rows';
import { ledgerHead, ledgerLine } from '@/lib/contract/history/ledger-rows';
import type { LedgerQuery } from '@/lib/contract/lists/ledger-query';
import { trackerDetail } from '@/lib/contract/tracker-rows';
import { aStorefront } from '../../../support/applications';
import { decide } from '../../../support/decisions';
import type { House } from '../../../support/house';
import { startHouse } from '../../../support/house';
import type { Rows } from '../rig';
import { bringToGate, openRows } from '../rig';

const ALWAYS = { times: Number.POSITIVE_INFINITY };
const headOf = (rows: Rows, { ns }: House): LedgerHead => ledgerHead.parse(rows.see({ kind: 'ledger', ns, name: 'web' })?.rows[0]);
const linesOf = (rows: Rows, { ns }: House, query: LedgerQuery = {}): readonly LedgerLine[] =>
  (rows.see({ kind: 'ledger-page', ns, name: 'web', query })?.rows ?? []).map((row) => ledgerLine.parse(row));

describe('the ledger of an application', () => {
  it('[issue 14.2] says of each object the same as the page of each tracker does', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await bringToGate(house, rows);
    const { columns, total } = headOf(rows, house);
    expect(columns.map(({ revision, state }) => `${revision} ${state}`)).toEqual(['web-v2 target', 'web-v1 current']);
    const lines = linesOf(rows, house);
    expect(lines).toHaveLength(total);
    for (const [at, { tracker }] of columns.entries()) {
      const { entries } = trackerDetail.parse(rows.see({ kind: 'tracker', name: tracker })?.rows[0]);
      const owned = entries.filter(({ ownedByThis }) => ownedByThis).map(({ id }) => id);
      const others = entries.filter(({ ownedBy, ownedByThis }) => ownedBy !== null && !ownedByThis).map(({ id }) => id);
      const of = (...states: readonly string[]) => lines.filter(({ cells }) => states.includes(cells[at] ?? '')).map(({ id }) => id);
      expect(of('owned', 'waiting').toSorted()).toEqual(owned.toSorted());
      expect(of('handed-over').toSorted()).toEqual(others.toSorted());
      expect(lines.filter(({ cells }) => cells[at] !== null)).toHaveLength(entries.length);
    }
    const dropped = lines.find(({ kind, name }) => kind === 'ConfigMap' && name === 'dropped');
    expect(dropped?.cells).toEqual([null, 'waiting']);
  });

  it('[issue 14.2] is narrowed by text, kind and state, and counts what there is of each', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await bringToGate(house, rows);
    const { kinds, states } = headOf(rows, house);
    const namesOf = (query: LedgerQuery) => linesOf(rows, house, query).map(({ name }) => name);
    expect(namesOf({ kind: 'ConfigMap' }).toSorted()).toEqual(['added', 'dropped', 'kept']);
    expect(kinds.find(({ kind }) => kind === 'ConfigMap')?.count).toBe(3);
    expect(namesOf({ q: 'DROP' })).toEqual(['dropped']);
    expect(namesOf({ state: 'waiting' })).toContain('dropped');
    expect(namesOf({ state: 'waiting' })).toHaveLength(states.find(({ state }) => state === 'waiting')?.count ?? 0);
    expect(namesOf({ q: 'no such object' })).toEqual([]);
  });

  it('[issue 14.2] does not call missing what may not be read', async () => {
    await using house = await startHouse();
    house.faults.fail({ verb: 'list', kind: 'ConfigMap' }, 403, { ...ALWAYS, message: 'configmaps is forbidden' });
    await using rows = await openRows(house);
    await house.apply(aStorefront({ configMaps: ['kept'] }));
    const cellsOf = (kind: string) => linesOf(rows, house, { kind }).map(({ exists, cells }) => ({ exists, cells }));
    await house.until('the Deployment is owned', () => cellsOf('Deployment.apps')[0]?.cells[0] === 'owned', 60_000);
    expect(cellsOf('ConfigMap')).toEqual([{ exists: null, cells: ['unknown'] }]);
    expect(headOf(rows, house).states).toContainEqual({ state: 'unknown', count: 1 });
  });

  it('[issue 14.2] shows what was deleted with earlier revisions, from the record that their collection left', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house, {
      readEntries: async ({ actions }) => [...house.record.values()].filter(({ action }) => actions.includes(action)),
    });
    await bringToGate(house, rows);
    await decide(house, 'web', 'promote-full', { reason: 'seen enough' });
    await house.until('the first revision is collected', () =>
      [...house.record.values()].some(({ action }) => action === 'tracker.deleted'),
    );
    for (const entry of house.record.values()) rows.model.recorded(entry);
    await house.until('the ledger has it', () => headOf(rows, house).columns.some(({ state }) => state === 'collected'));
    const { columns } = headOf(rows, house);
    expect(columns.map(({ revision, state }) => `${revision} ${state}`)).toEqual(['web-v2 current', 'web-v1 collected']);
    const cellsOf = (name: string) => linesOf(rows, house).find((line) => line.name === name)?.cells;
    expect(cellsOf('dropped')).toEqual([null, 'deleted']);
    expect(cellsOf('kept')).toEqual(['owned', 'handed-over']);
    expect(cellsOf('added')).toEqual(['owned', null]);
  });
});
