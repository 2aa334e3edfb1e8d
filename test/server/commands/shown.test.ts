import { describe, expect, it } from 'vitest';
import type { SavePreview } from '@/lib/contract/change-rows';
import { rolloutDigest } from '@/server/rollout';
import type { CommandRig } from './rig';
import { anApplication, aRequest, aRollout, createCommandRig, SHOP } from './rig';

const DIGEST = `sha256:${'7'.repeat(64)}`;
const ENTRY = { id: 'entry', kind: 'Application', namespace: 'shop', name: 'web', noted: { plan: DIGEST } };

it('[issue 14.2] what was shown before an act is told of the very application, and to nobody who may not see it', async () => {
  const rig = await createCommandRig();
  const now = (await rig.commands.applyApplication(rig.session, {
    manifest: JSON.stringify(anApplication()),
    dryRun: true,
  })) as SavePreview;
  rig.previews.set(DIGEST, { digest: DIGEST, ...SHOP, at: '2026-01-01T08:00:00Z', by: 'ada', base: '', preview: now });
  expect(await rig.commands.readShown(rig.session, ENTRY)).toEqual({
    by: 'ada',
    at: '2026-01-01T08:00:00Z',
    consequences: [],
    preview: now,
  });
  expect(await rig.commands.readShown(rig.session, { ...ENTRY, noted: { seen: DIGEST } })).toMatchObject({ by: 'ada' });
  const decided = { kind: 'RolloutOrchestrator', noted: { seen: { rollout: 'sha256:1', plan: DIGEST } } };
  expect(await rig.commands.readShown(rig.session, { ...ENTRY, ...decided })).toMatchObject({ by: 'ada' });
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

describe('what a decision was said to do', () => {
  const SAID = ['Stage 3 starts: web-v4 goes from 4 to 6 replicas.'];
  const decide = async (rig: CommandRig, digest = rolloutDigest(aRollout())) => {
    rig.consequencesOf = (place, verb) => (place.name === 'web' && verb === 'approve' ? { digest, sentences: SAID } : null);
    const made = await rig.commands.decide(rig.session, SHOP, aRequest({ verb: 'approve' }));
    return { kind: 'RolloutOrchestrator', namespace: 'shop', name: 'web', noted: {}, id: ('accepted' in made && made.accepted.uid) || '' };
  };

  it('[issue 14.3] is told of its entry, of the very rollout and to nobody who may not see it', async () => {
    const rig = await createCommandRig();
    const entry = await decide(rig);
    expect(await rig.commands.readShown(rig.session, entry)).toEqual({
      by: 'operator',
      at: '2026-01-01T09:00:00.000Z',
      consequences: SAID,
      preview: null,
    });
    for (const other of [{ id: 'another' }, { name: 'other' }, { namespace: 'labs' }, { kind: 'Application' }])
      expect(await rig.commands.readShown(rig.session, { ...entry, ...other })).toBeNull();
    const poor = await createCommandRig({ may: ({ verb, resource }) => !(verb === 'get' && resource === 'rolloutorchestrators') });
    for (const [digest, kept] of rig.told) poor.told.set(digest, kept);
    expect(await poor.commands.readShown(poor.session, entry)).toBeNull();
  });

  it('[issue 14.3] is not kept where the rollout has moved on since the page showed it', async () => {
    const rig = await createCommandRig();
    const entry = await decide(rig, 'sha256:another');
    expect(await rig.commands.readShown(rig.session, entry)).toBeNull();
  });
});
