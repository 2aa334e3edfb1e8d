import { expect, it } from 'vitest';
import type { SavePreview } from '@/lib/contract/change-rows';
import type { ReleasePlan } from '@/lib/contract/release-edit';
import { openConsequences, openPreviews, openReleasePlans } from '@/server/commands/stored-previews';
import type { PreviewRow } from '@/server/store/previews';

const preview: SavePreview = {
  counts: { new: 1 },
  kinds: [],
  revision: { name: 'web-v2', isNew: true },
  changes: [],
  refused: null,
  plan: 'sha256:5',
};
const shown = { digest: 'sha256:5', ns: 'shop', name: 'web', at: '2026-01-01T09:00:00Z', by: 'ada', base: 'a: 1\n', preview };

function rig() {
  const rows = new Map<string, PreviewRow>();
  const previews = {
    keep: async (row: PreviewRow) => void rows.set(row.digest, row),
    read: async (digest: string) => rows.get(digest),
    prune: async () => undefined,
  };
  return { rows, store: async () => ({ previews }) };
}

it('[issue 9.4] a preview is kept as it was shown, by its plan', async () => {
  const { rows, store } = rig();
  await openPreviews(store).keep(shown);
  const { ns, ...rest } = shown;
  expect(rows.get('sha256:5')).toEqual({ ...rest, namespace: ns, preview: JSON.stringify(preview) });
  expect(await openPreviews(store).read('sha256:5')).toEqual(shown);
  expect(await openPreviews(store).read('sha256:6')).toBeUndefined();
});

it('[issue 9.4] one that is kept in another form counts as not kept', async () => {
  const { store } = rig();
  await openPreviews(store).keep(shown);
  expect(await openReleasePlans(store).read('sha256:5')).toBeUndefined();
});

const plan: ReleasePlan = {
  plan: 'sha256:7',
  parts: { chart: 'c', values: 'v', stored: 's', helm: 'h', account: 'a', objects: 'o' },
  from: 1,
  revision: 'a'.repeat(40),
  values: [],
  valuesDiffer: false,
  hidesValues: false,
  objects: [],
  notes: null,
  nondeterministic: [{ apiVersion: 'v1', kind: 'ConfigMap', ns: 'shop', name: 'web', paths: ['data.token'] }],
  left: [],
};

it('[issue 11.2] a plan is read by the names of the release before, and kept so that the release before can read it', async () => {
  const { rows, store } = rig();
  const plans = openReleasePlans(store);
  await plans.keep({ ...shown, preview: plan });
  expect((await plans.read('sha256:5'))?.preview).toEqual(plan);
  const { nondeterministic, ...former } = JSON.parse(rows.get('sha256:5')?.preview ?? '') as ReleasePlan;
  expect(former.eachTime).toEqual(nondeterministic);
  rows.set('sha256:5', { ...shown, namespace: 'shop', preview: JSON.stringify(former) });
  expect((await plans.read('sha256:5'))?.preview).toEqual(plan);
});

it('[issue 10, 3] what people were told fails nothing where it cannot be kept, and the log says so once until it can', async () => {
  const warned: object[] = [];
  const { rows, store } = rig();
  let isDown = true;
  const opening = async () => {
    if (isDown) throw new Error('the store is away');
    return store();
  };
  const told = openConsequences(opening, { warn: (fields) => void warned.push(fields) });
  const one = { ...shown, preview: ['what it does'] };
  await told.keep(one);
  await told.keep(one);
  expect(warned).toEqual([{ error: 'the store is away' }]);
  isDown = false;
  await told.keep(one);
  expect([rows.size, warned.length]).toEqual([1, 1]);
  isDown = true;
  await told.keep(one);
  expect(warned).toHaveLength(2);
});
