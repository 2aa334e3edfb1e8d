import { describe, expect, it } from 'vitest';
import type { GraphNode } from '@/lib/contract/graph-rows';
import { decide } from '../../../support/decisions';
import type { House } from '../../../support/house';
import { startHouse } from '../../../support/house';
import type { Rows } from '../rig';
import { bringToGate, openRows, treeOf } from '../rig';

const graphOf = (rows: Rows, { ns }: House) => (rows.see({ kind: 'graph', ns, name: 'web', open: [] })?.rows ?? []) as readonly GraphNode[]; // rows are JSON

/** Each edge as `KIND NAME word KIND NAME`. */
function edgesOf(nodes: readonly GraphNode[]): readonly string[] {
  const byId = new Map(nodes.map((node) => [node.id, `${node.kind} ${node.name}`]));
  return nodes.flatMap(({ id, edges }) => edges.map(({ kind, to }) => `${byId.get(id)} ${kind} ${byId.get(to)}`));
}

describe('the graph of an application', () => {
  it('[issue 14.2] leads from the application over its revisions and their trackers to the objects and their pods', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await bringToGate(house, rows);
    const nodes = graphOf(rows, house);
    const edges = edgesOf(nodes);
    const tracker = (revision: string) => nodes.find(({ type, name }) => type === 'tracker' && name.startsWith(revision))?.name;
    expect(edges).toEqual(
      expect.arrayContaining([
        'Application web owns ApplicationRevision web-v1',
        'Application web owns ApplicationRevision web-v2',
        `ApplicationRevision web-v2 owns ResourceTracker ${tracker('web-v2')}`,
        `ResourceTracker ${tracker('web-v1')} records Deployment web-v1`,
        `ResourceTracker ${tracker('web-v2')} records Deployment web-v2`,
        `ResourceTracker ${tracker('web-v2')} records ConfigMap added`,
      ]),
    );
    const set = nodes.find(({ kind, name }) => kind === 'ReplicaSet' && name.startsWith('web-v2'));
    expect(edges).toContain(`Deployment web-v2 owns ReplicaSet ${set?.name}`);
    expect(edges.filter((edge) => edge.startsWith(`ReplicaSet ${set?.name} owns Pod`)).length).toBeGreaterThan(0);
    expect(
      nodes
        .filter(({ type }) => type === 'revision')
        .map(({ name, note }) => `${name} ${note}`)
        .toSorted(),
    ).toEqual(['web-v1 current', 'web-v2 target']);
  });

  it('[issue 14.2] names of what two revisions share the one that owns it: the newer while it rolls out, the stable one after an abort', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await bringToGate(house, rows);
    const revisionsOf = (nodes: readonly Pick<GraphNode, 'kind' | 'name' | 'revision'>[]) =>
      ['Service web', 'ConfigMap kept', 'Deployment web-v1', 'Deployment web-v2', 'ConfigMap added'].map((shown) => {
        const [kind, name] = shown.split(' ');
        return `${shown} ${nodes.find((node) => node.kind === kind && node.name === name)?.revision}`;
      });
    const seen = () => [treeOf(rows, { ns: house.ns, name: 'web' }), graphOf(rows, house)].map(revisionsOf);
    const atGate = [
      'Service web web-v2',
      'ConfigMap kept web-v2',
      'Deployment web-v1 web-v1',
      'Deployment web-v2 web-v2',
      'ConfigMap added web-v2',
    ];
    expect(seen()).toEqual([atGate, atGate]);
    await decide(house, 'web', 'abort', { reason: 'errors' });
    await house.until('it is aborted', () => rows.rollout().activity === 'aborted');
    await house.advance(5_000);
    const after = ['Service web web-v1', 'ConfigMap kept web-v1', ...atGate.slice(2)];
    expect(seen()).toEqual([after, after]);
  });

  it('[issue 14.2] has of every object the status that the list has', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await bringToGate(house, rows);
    const lines = (rows.see({ kind: 'tree', ns: house.ns, name: 'web', query: {} })?.rows ?? []) as readonly GraphNode[]; // rows are JSON
    const told = new Map(graphOf(rows, house).map(({ id, health, message }) => [id, `${health} ${message}`]));
    expect(lines.length).toBeGreaterThan(6);
    for (const { id, health, message } of lines) expect(told.get(id), id).toBe(`${health} ${message}`);
  });

  it('[issue 14.2] is pushed when something in it changes', async () => {
    await using house = await startHouse();
    await using rows = await openRows(house);
    await bringToGate(house, rows);
    const window = rows.model.open({ kind: 'graph', ns: house.ns, name: 'web', open: [] }, 'all');
    const pushed: GraphNode[] = [];
    window?.onDirty(() => pushed.push(...((window.refresh()?.rows ?? []) as readonly GraphNode[])));
    await house.cluster.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace: house.ns, name: 'added' });
    await house.until('the page is told that it is gone', () =>
      pushed.some(({ name, health }) => name === 'added' && health === 'NotFound'),
    );
    window?.release();
  });
});
