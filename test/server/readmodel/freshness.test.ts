import { describe, expect, it } from 'vitest';
import type { ApplicationRow } from '@/lib/contract/application-rows';
import type { EngineRow, StatusRow } from '@/lib/contract/system-rows';
import type { Topic } from '@/lib/contract/topic';
import { KINDS } from '@/lib/kube/kinds';
import { SUSPENDED } from '@/lib/kube/paused-by';
import type { House } from '../../support/house';
import { startHouse } from '../../support/house';
import type { Rows } from './rig';
import { bringToGate, openRows, treeOf } from './rig';

const application = (house: House) => ({ kind: 'application', ns: house.ns, name: 'web' }) as const;
// Rows are JSON on the wire; their schemas are checked where the browser reads them.
const rowOf = <Row>(rows: Rows, topic: Topic) => rows.see(topic)?.rows[0] as Row | undefined;

/** What a page that stays open is told, as the hub would push it. */
function watchPage(rows: Rows, house: House) {
  const window = rows.model.open(application(house), 'all');
  const told: (string | null)[] = [];
  window?.onDirty(() => {
    const delta = window.refresh();
    if (delta !== null) told.push(delta.freshness.stale?.reason ?? null);
  });
  return told;
}

describe('a lost watch', () => {
  it('[design 7] of a core kind makes everything old within five seconds, says which, and ends with the watch', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await bringToGate(house, rows);
    await house.advance(30_000); // what engines still count is written
    const told = watchPage(rows, house);
    const release = house.faults.refuseWatches({ kind: 'Pod' });
    await house.advance(4000);
    expect(told).toEqual([]);
    await house.advance(1000);
    expect(told.at(-1)).toMatch(/^The watch of Pod is lost: .+\.$/);
    expect(rows.see({ kind: 'rollouts', query: {} })?.freshness).toMatchObject({
      source: 'cache',
      stale: { reason: expect.stringContaining('Pod') },
    });
    expect(rowOf<StatusRow>(rows, { kind: 'status' })?.trouble?.sentence).toContain('Pod');
    expect(rows.model.trouble({ ns: house.ns, name: 'web' })?.sentence).toContain('Pod');
    release();
    await house.until('it is fresh again', () => rows.model.trouble() === undefined);
    await house.advance(250);
    expect(told.at(-1)).toBeNull();
  });

  it('[design 7] of another kind concerns only what consists of it: its nodes are old, lists and other applications are not', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await bringToGate(house, rows);
    house.faults.refuseWatches({ kind: 'ConfigMap' });
    await house.advance(5000);
    expect(rows.see(application(house))?.freshness.stale?.reason).toContain('ConfigMap');
    expect(rows.model.trouble({ ns: house.ns, name: 'web' })).toBeDefined();
    expect(rows.model.trouble({ ns: house.ns, name: 'another' })).toBeUndefined();
    expect(rows.see({ kind: 'applications', query: {} })?.freshness.stale).toBeNull();
    const known = new Map(treeOf(rows, application(house)).map((node) => [node.kind, node.known.source]));
    expect([known.get('ConfigMap'), known.get('Deployment')]).toEqual(['cache', 'watch']);
  });

  it('[design 1] never turns an object we cannot see into one that is not there', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await bringToGate(house, rows);
    const healthOf = (name: string) =>
      treeOf(rows, application(house)).find((node) => node.kind === 'ConfigMap' && node.name === name)?.health;
    // What the rollout still serves would be created again.
    const at = { ...KINDS.application, namespace: house.ns, name: 'web' };
    await house.cluster.patch(at, { type: 'merge', body: { metadata: { annotations: { [SUSPENDED]: 'true' } } } });
    await house.until(
      'it is suspended',
      async () => rowOf<ApplicationRow>(rows, { kind: 'applications', query: {} })?.activity === 'suspended',
    );
    await house.cluster.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: house.ns, name: 'dropped' });
    await house.until('it is seen to be gone', () => healthOf('dropped') === 'NotFound');
    house.faults.refuseWatches({ kind: 'ConfigMap' });
    await house.until('nobody knows any more', () => healthOf('dropped') === 'Unknown');
    expect(healthOf('kept')).toBe('Current');
  });
});

describe('a kind that the cluster does not serve', () => {
  it('[cluster W2] makes nothing old; what names it is unknown and says why', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await bringToGate(house, rows);
    const listed = { apiVersion: 'example.com/v1', kind: 'Widget', name: 'w', namespace: house.ns };
    await house.cluster.create({
      ...KINDS.resourceTracker,
      metadata: {
        name: `foreign-v1-${house.ns}`,
        labels: { 'app.oam.dev/name': 'web', 'app.oam.dev/namespace': house.ns, 'app.oam.dev/appRevision': 'web-v2' },
      },
      spec: { type: 'versioned', applicationGeneration: 1, managedResources: [listed] },
    });
    const widget = () => treeOf(rows, application(house)).find((node) => node.kind === 'Widget');
    await house.until('the tree names it', () => widget() !== undefined);
    await house.advance(20_000);
    expect(widget()).toMatchObject({ health: 'Unknown', message: expect.stringContaining('Widget') });
    expect(rows.see(application(house))?.freshness.stale).toBeNull();
    expect(rows.model.trouble()).toBeUndefined();
    expect(rowOf<ApplicationRow>(rows, { kind: 'applications', query: {} })?.name).toBe('web');
    expect(rowOf<EngineRow>(rows, { kind: 'engine' })?.watches.find(({ kind }) => kind === 'Widget')?.state).toBe('missing');
  });
});

describe('an API server that does not answer', () => {
  it('[design 7] makes every view old, from the moment it fell silent', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    const since = house.clock.now();
    rows.reachability = { reachable: false, since, reason: 'connection refused' };
    await house.advance(5000);
    const { freshness } = rows.see({ kind: 'inbox' }) ?? {};
    expect(freshness?.stale).toEqual({
      since: new Date(since).toISOString(),
      reason: 'The API server does not answer: connection refused.',
    });
    expect(freshness?.observedAt).toBe(freshness?.stale?.since);
  });
});
