import { expect, it } from 'vitest';
import type { SavePreview } from '@/lib/contract/change-rows';
import { anApplication, createCommandRig, SHOP } from './rig';

const DIGEST = `sha256:${'7'.repeat(64)}`;
const ENTRY = { kind: 'Application', namespace: 'shop', name: 'web', noted: { plan: DIGEST } };

it('[issue 14.2] what was shown before an act is told of the very application, and to nobody who may not see it', async () => {
  const rig = await createCommandRig();
  const now = (await rig.commands.applyApplication(rig.session, {
    manifest: JSON.stringify(anApplication()),
    dryRun: true,
  })) as SavePreview;
  rig.previews.set(DIGEST, { digest: DIGEST, ...SHOP, at: '2026-01-01T08:00:00Z', by: 'ada', base: '', preview: now });
  expect(await rig.commands.readShown(rig.session, ENTRY)).toEqual({ by: 'ada', at: '2026-01-01T08:00:00Z', preview: now });
  expect(await rig.commands.readShown(rig.session, { ...ENTRY, noted: { seen: DIGEST } })).toMatchObject({ by: 'ada' });
  for (const other of [
    { name: 'other' },
    { namespace: 'labs' },
    { namespace: null },
    { kind: 'ConfigMap' },
    { noted: {} },
    { noted: null },
  ])
    expect(await rig.commands.readShown(rig.session, { ...ENTRY, ...other })).toBeNull();
  const poor = await createCommandRig({ may: ({ verb, resource }) => !(verb === 'get' && resource === 'applications') });
  poor.previews.set(DIGEST, { digest: DIGEST, ...SHOP, at: '2026-01-01T08:00:00Z', by: 'ada', base: '', preview: now });
  expect(await poor.commands.readShown(poor.session, ENTRY)).toBeNull();
});
