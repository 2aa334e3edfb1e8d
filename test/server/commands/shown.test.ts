import { describe, expect, it } from 'vitest';
import type { SavePreview } from '@/lib/contract/change-rows';
import type { Session } from '@/server/auth';
import type { CommandDeps } from '@/server/commands/command-deps';
import { keepConsequences } from '@/server/commands/record/keep-consequences';
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

it('[design 8] what was shown of an application is told to nobody who may only see its rollout', async () => {
  const rig = await createCommandRig({ may: ({ verb, resource }) => !(verb === 'get' && resource === 'applications') });
  const kept = { digest: DIGEST, ...SHOP, at: '2026-01-01T08:00:00Z', base: '' };
  rig.previews.set(DIGEST, { ...kept, by: 'ada', preview: { changes: [] } as unknown as SavePreview });
  const entry = { ...ENTRY, kind: 'RolloutOrchestrator' };
  expect(await rig.commands.readShown(rig.session, entry)).toBeNull();
  rig.told.set('entry', { ...kept, digest: 'entry', by: 'ada', preview: ['web-v4 goes from 4 to 6 replicas'] });
  expect(await rig.commands.readShown(rig.session, entry)).toMatchObject({
    consequences: ['web-v4 goes from 4 to 6 replicas'],
    preview: null,
  });
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

  it('[issue 14.3] is kept of a decision that rests on nothing seen, and of none of which nothing was said', async () => {
    for (const isSaid of [true, false]) {
      const rig = await createCommandRig();
      rig.consequencesOf = () => (isSaid ? { digest: 'sha256:now', sentences: SAID } : null);
      const { seen: _seen, ...request } = aRequest({ verb: 'pause' });
      for (const asked of [request, { ...request, seen: { policy: 'both' } }]) await rig.commands.decide(rig.session, SHOP, asked);
      expect([...rig.told.values()].map(({ preview }) => preview)).toEqual(isSaid ? [SAID, SAID] : []);
      await rig.commands.decide(rig.session, SHOP, aRequest({ verb: 'approve' }));
      expect(rig.told.size).toBe(isSaid ? 2 : 0);
    }
  });

  it('[issue 14.3] is kept under no name where the cluster told none', () => {
    const kept: unknown[] = [];
    const deps = {
      consequencesOf: () => ({ digest: 'sha256:now', sentences: SAID }),
      clock: { now: () => 0 },
      consequencesShown: { keep: async (one: unknown) => void kept.push(one) },
    } as unknown as CommandDeps;
    const keep = keepConsequences(deps, { user: 'ann' } as Session, { place: SHOP, request: aRequest({ seen: { policy: 'both' } }) });
    const made = (uid: string | null) => ({ accepted: { kind: 'StageDecision', ns: 'shop', name: 'web-1', uid } });
    expect([keep(made(null)), kept.length, keep(made('u')), kept.length]).toEqual([made(null), 0, made('u'), 1]);
  });
});
