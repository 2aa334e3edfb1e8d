import { expect, it } from 'vitest';
import type { ApplicationDetail } from '@/lib/contract/application-rows';
import { KINDS } from '@/lib/kube/kinds';
import { aStorefront } from '../../support/applications';
import { startHouse } from '../../support/house';
import { openRows } from './rig';

it('[design 13 G] a revision that a former application of the name left is neither shown nor what a collection goes by', async () => {
  await using house = await startHouse();
  await using rows = await openRows(house);
  const labels = { 'app.oam.dev/name': 'web', 'app.oam.dev/namespace': house.ns };
  const application = aStorefront({ configMaps: ['settings'] });
  // Without an owner, as a deletion that orphans leaves it.
  await house.apply({ ...KINDS.applicationRevision, metadata: { name: 'web-v4', labels }, spec: { application } });
  await house.apply(application);
  const detail = () => rows.see({ kind: 'application', ns: house.ns, name: 'web' })?.rows[0] as ApplicationDetail | undefined; // JSON on the wire
  await house.until('its own revision runs', () => detail()?.revisions.some(({ state }) => state === 'current') ?? false);
  expect(detail()?.revisions.map(({ name }) => name)).toEqual(['web-v5']);

  await house.apply({ ...KINDS.applicationRevision, metadata: { name: 'web-v9', labels }, spec: { application } });
  await house.cluster.create({
    ...KINDS.resourceTracker,
    metadata: { name: `web-v1-${house.ns}`, labels },
    spec: {
      type: 'versioned',
      applicationGeneration: 1,
      managedResources: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'older', namespace: house.ns }],
    },
  });
  await house.until('the older tracker is read', () => rows.see({ kind: 'tracker', name: `web-v1-${house.ns}` }) !== undefined);
  expect(rows.model.waitingOf(house.ns, 'web', {})).toMatchObject({ from: [`web-v1-${house.ns}`], to: `web-v5-${house.ns}` });
});
