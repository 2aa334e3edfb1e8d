import { describe, expect, it } from 'vitest';
import type { DeletionAccepted, DeletionPreview } from '@/lib/contract/acts/application-deletion';
import type { KubeObject } from '@/lib/kube/object';
import { FINALIZER } from '@/server/dispatch';
import { KubeApiError } from '@/server/kube';
import type { CommandRig } from './rig';
import { anApplication, createCommandRig, SHOP } from './rig';

const PAUSED = { annotations: { 'slipway.dev/suspended': 'true' } };
const end = { place: SHOP, uid: 'app-uid', objects: 'delete' } as const;
const preview = async ({ commands, session }: CommandRig, objects: 'delete' | 'keep' = 'delete') =>
  (await commands.deleteApplication(session, { ...end, objects, dryRun: true })) as DeletionPreview;
const finish = async (rig: CommandRig, objects: 'delete' | 'keep' = 'delete') => {
  const { plan } = await preview(rig, objects);
  return (await rig.commands.deleteApplication(rig.session, { ...end, objects, plan, reason: 'moved away' })) as DeletionAccepted;
};
const writesOf = ({ cluster }: CommandRig) => cluster.writes.map(({ verb, dryRun }) => `${verb}${dryRun ? ' tried' : ''}`);
const stored = ({ cluster }: CommandRig) => [...cluster.objects.values()].find(({ kind }) => kind === 'Application');

describe('deleting an application', () => {
  it('[issue 14.1] writes what was seen on it, then deletes it, as the person and on record before it happens', async () => {
    const rig = await createCommandRig();
    expect(await finish(rig)).toMatchObject({ accepted: { kind: 'Application', name: 'web' }, waits: null });
    expect(writesOf(rig)).toEqual(['update tried', 'delete tried', 'update', 'delete']);
    expect(rig.cluster.writes.every(({ person }) => person?.user === 'operator')).toBe(true);
    const [, , noted] = rig.cluster.writes;
    expect(noted?.object.metadata).toMatchObject({
      annotations: { 'slipway.dev/end-plan': expect.stringMatching(/^sha256:/) },
      finalizers: [FINALIZER.tracker],
    });
    expect(rig.recorded).toMatchObject([
      { action: 'application.delete', actor: 'operator', message: 'deletes the application with its objects: moved away' },
    ]);
  });

  it('[issue 14.1] keeps objects by the finalizer that leaves them, and takes one away that would have kept them', async () => {
    const kept = await createCommandRig();
    await finish(kept, 'keep');
    expect(kept.cluster.writes.at(2)?.object.metadata.finalizers).toEqual([FINALIZER.tracker, FINALIZER.orphan]);
    const before = await createCommandRig({ objects: [anApplication({ finalizers: [FINALIZER.orphan, 'example.com/own'] })] });
    await finish(before);
    expect(before.cluster.writes.at(2)?.object.metadata.finalizers).toEqual(['example.com/own', FINALIZER.tracker]);
  });

  it('[design 14] does nothing without the plan that was shown, of another application of the name, stale, or where nobody would delete', async () => {
    const rig = await createCommandRig();
    const { commands, session } = rig;
    const { plan } = await preview(rig);
    await expect(commands.deleteApplication(session, { ...end, plan: 'sha256:0' })).rejects.toThrow(
      'what this deletes has changed since you opened it',
    );
    await expect(commands.deleteApplication(session, { ...end, uid: 'other', plan })).rejects.toMatchObject({ code: 'conflict' });
    rig.standing = 'another engine drives applications';
    await expect(commands.deleteApplication(session, { ...end, plan })).rejects.toThrow(
      'its objects would not be deleted: another engine drives applications',
    );
    rig.standing = null;
    rig.unrecorded = new Error('the store is down');
    await expect(commands.deleteApplication(session, { ...end, plan })).rejects.toThrow('the store is down');
    rig.stale = { since: '2026-11-20T09:00:00Z', reason: 'the watch is gone' };
    await expect(commands.deleteApplication(session, { ...end, plan })).rejects.toThrow('deleting needs fresh data');
    expect(rig.cluster.writes).toEqual([]);
  });

  it('[issue 14.1] is refused while the application is suspended, or is already being deleted', async () => {
    const paused = await createCommandRig({ objects: [anApplication(PAUSED)] });
    await expect(preview(paused)).rejects.toThrow('is suspended by its annotation slipway.dev/suspended, so nothing would be deleted');
    const going = await createCommandRig({ objects: [anApplication({ deletionTimestamp: '2026-11-20T09:00:00Z' })] });
    await expect(preview(going)).rejects.toThrow('is already being deleted');
  });

  it('[issue 14.1] takes back what it wrote where the deletion is refused after all', async () => {
    const refuse = ({ verb, dryRun }: { readonly verb: string; readonly dryRun: boolean }) =>
      verb === 'delete' && !dryRun ? new KubeApiError({ code: 403, reason: 'Forbidden', message: 'a policy forbids it' }) : undefined;
    const rig = await createCommandRig({ refuse });
    await expect(finish(rig, 'keep')).rejects.toThrow('a policy forbids it');
    expect(stored(rig)?.metadata).toMatchObject({ annotations: {}, finalizers: [] });
    expect(rig.cluster.writes.at(-1)).toMatchObject({ verb: 'update', fieldManager: 'slipway.dev/console' });
    expect(rig.recorded.map(({ action }) => action)).toEqual(['application.delete', 'application.delete.failed']);
  });

  it('[issue 14.1] writes nothing where the deletion is refused as it is tried', async () => {
    const refuse = ({ verb }: { readonly verb: string }) =>
      verb === 'delete' ? new KubeApiError({ code: 403, reason: 'Forbidden', message: 'a policy forbids it' }) : undefined;
    const rig = await createCommandRig({ refuse });
    const sent: (boolean | undefined)[] = [];
    const as = rig.cluster.as.bind(rig.cluster);
    const noting: typeof as = (person) => {
      const acting = as(person);
      return {
        ...acting,
        update: (object, options) => {
          sent.push(options?.dryRun);
          return acting.update(object, options);
        },
      };
    };
    Object.assign(rig.cluster, { as: noting });
    await expect(finish(rig)).rejects.toThrow('a policy forbids it');
    expect([sent, writesOf(rig), rig.recorded]).toEqual([[true], ['update tried'], []]);
  });

  it('[design 14] deletes no other application of the name that was made meanwhile', async () => {
    let isWritten = false;
    const rig: CommandRig = await createCommandRig({
      refuse({ verb, object, dryRun }) {
        // Another one takes its place just after what was seen was written on it.
        if (verb === 'update' && !dryRun && object.kind === 'Application') isWritten = true;
        return undefined;
      },
    });
    const { plan } = await preview(rig);
    const key = [...rig.cluster.objects.keys()].find((one) => one.includes('/Application ')) ?? '';
    const get = rig.cluster.objects.get.bind(rig.cluster.objects);
    rig.cluster.objects.get = (asked) => (isWritten && asked === key ? anApplication({ uid: 'another' }) : get(asked));
    await expect(rig.commands.deleteApplication(rig.session, { ...end, plan })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('was changed in the meantime'),
    });
    expect(writesOf(rig).filter((write) => write === 'delete')).toEqual([]);
  });

  it('[design 8] needs the right to delete it, and to write what was seen on it', async () => {
    for (const verb of ['delete', 'update']) {
      const rig = await createCommandRig({ may: (right) => right.resource !== 'applications' || right.verb !== verb });
      await expect(preview(rig)).rejects.toThrow(`requires the right "${verb}" on applications`);
    }
  });
});

describe('acts on an application', () => {
  const act = ({ commands, session }: CommandRig, verb: 'refresh' | 'suspend' | 'resume', reason?: string) =>
    commands.actOnApplication(session, { place: SHOP, verb, uid: 'app-uid', ...(reason === undefined ? {} : { reason }) });
  const noted = ({ metadata }: KubeObject | { readonly metadata: KubeObject['metadata'] }) => metadata.annotations;

  it('[issue 14.1] suspend it with who, when and why, and resume takes that away again', async () => {
    const rig = await createCommandRig();
    await act(rig, 'suspend', 'a migration');
    expect(noted(stored(rig) ?? anApplication())).toMatchObject({
      'slipway.dev/suspended': 'true',
      'slipway.dev/suspended-note': expect.stringContaining('a migration'),
    });
    await expect(act(rig, 'suspend')).rejects.toThrow('is suspended already');
    await expect(act(rig, 'refresh')).rejects.toThrow('resume it first');
    await act(rig, 'resume');
    expect(noted(stored(rig) ?? anApplication())).toEqual({});
    await expect(act(rig, 'resume')).rejects.toThrow('is not suspended');
    expect(rig.recorded.map(({ action, message, data }) => [action, message, data])).toEqual([
      ['application.suspend', 'suspends its reconciliation: a migration', { uid: 'app-uid' }],
      ['application.resume', 'resumes its reconciliation', { uid: 'app-uid' }],
    ]);
  });

  it('[issue 9.3] are refused with who drives where another controller does; one whose engine is stopped may be suspended', async () => {
    const rig = await createCommandRig();
    rig.standingOf = (engine) => (engine === 'application' ? 'vela-core drives applications' : null);
    for (const verb of ['refresh', 'suspend', 'resume'] as const)
      await expect(act(rig, verb)).rejects.toMatchObject({ code: 'unavailable', message: 'vela-core drives applications' });
    expect([rig.cluster.writes, rig.recorded]).toEqual([[], []]);
    rig.mode = 'stopped';
    await expect(act(rig, 'refresh')).rejects.toMatchObject({ code: 'unavailable' });
    await act(rig, 'suspend');
    await act(rig, 'resume');
    expect(rig.recorded.map(({ action }) => action)).toEqual(['application.suspend', 'application.resume']);
  });

  it('[issue 14.1] resume one that an annotation of others holds as well', async () => {
    const rig = await createCommandRig({ objects: [anApplication({ annotations: { 'cluster.x-k8s.io/paused': 'true', own: 'stays' } })] });
    await act(rig, 'resume');
    expect(noted(stored(rig) ?? anApplication())).toEqual({ own: 'stays' });
  });

  it('[issue 14.1] refresh it by a time on it, which its engine hears of; what it asks for stays', async () => {
    const rig = await createCommandRig();
    await act(rig, 'refresh');
    expect(noted(stored(rig) ?? anApplication())).toMatchObject({ 'slipway.dev/reconcile-requested-at': expect.stringMatching(/^\d{4}-/) });
    expect(stored(rig)?.spec).toEqual(anApplication().spec);
  });

  it('[design 8] are of the application that was seen, and written as whoever acts', async () => {
    const rig = await createCommandRig();
    for (const verb of ['refresh', 'suspend'] as const) {
      const other = rig.commands.actOnApplication(rig.session, { place: SHOP, verb, uid: 'other' });
      await expect(other).rejects.toMatchObject({ code: 'conflict' });
    }
    expect([rig.cluster.writes, rig.recorded]).toEqual([[], []]);
    for (const verb of ['refresh', 'suspend', 'resume'] as const) await act(rig, verb);
    expect(rig.cluster.writes.filter(({ dryRun }) => !dryRun)).toHaveLength(3);
    expect(rig.cluster.writes.filter(({ person }) => person?.user !== 'operator')).toEqual([]);
  });

  it('[design 14] suspending is not refused while nothing can be recorded at the store, the others are; each needs the right to change it', async () => {
    const rig = await createCommandRig();
    rig.unrecorded = new Error('the store is down');
    await act(rig, 'suspend');
    expect(rig.recorded.map(({ action }) => action)).toEqual(['application.suspend']);
    await expect(act(rig, 'resume')).rejects.toThrow('the store is down');
    const untried = await createCommandRig();
    untried.unrecorded = new Error('the store is down');
    await expect(act(untried, 'refresh')).rejects.toThrow('the store is down');
    expect(untried.cluster.writes).toEqual([]);
    const lost: CommandRig = await createCommandRig({
      // The store goes just as the act was tried.
      refuse({ verb }) {
        if (verb === 'update') lost.unrecorded = new Error('the store is down');
        return undefined;
      },
    });
    await expect(act(lost, 'refresh')).rejects.toThrow('the store is down');
    expect([writesOf(lost), lost.recorded]).toEqual([['update tried'], []]);
    const poor = await createCommandRig({ may: (right) => right.verb !== 'update' });
    for (const verb of ['refresh', 'suspend', 'resume'] as const)
      await expect(act(poor, verb)).rejects.toMatchObject({ code: 'forbidden' });
    expect(poor.cluster.writes).toEqual([]);
  });
});

describe('the text of an application', () => {
  it('[issue 14.1] is not edited as that of any object: its own page shows what a change does to each of its objects', async () => {
    const { commands, session, cluster } = await createCommandRig();
    const at = { apiVersion: 'core.oam.dev/v1beta1', kind: 'Application', name: 'web' };
    const { text, uid, state } = await commands.readEditableObject(session, { ...at, namespace: 'shop' });
    const asked = { ...at, ns: 'shop', manifest: text, seen: { uid, state }, dryRun: true } as const;
    await expect(commands.editObject(session, asked)).rejects.toThrow('An Application is edited on its own page');
    expect(cluster.writes).toEqual([]);
  });
});
