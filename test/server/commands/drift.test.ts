import { describe, expect, it } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { AT, compared, deployment, edited, KEY, liveOf, NOT_LISTED, open, PATHS, request, SOON, secret } from './drift-bench';
import { CANARY, SHOP } from './rig';

describe('an object beside what is wanted of it', () => {
  it('[dispatch 13] tells each field with who set it and since when, and at which line it stands', async () => {
    const { commands, session } = await open({ manifest: deployment, live: await edited() });
    const drift = compared(await commands.readDrift(session, SHOP, AT));
    expect(drift).toMatchObject({ revision: 'web-v1', exists: true, hasManagedFields: true, repair: SOON });
    expect(drift.fields.map(({ path }) => path).sort()).toEqual([...PATHS].sort());
    const [replicas] = drift.fields;
    expect(replicas).toMatchObject({
      path: 'spec.replicas',
      kind: 'changed',
      desired: '2',
      live: '5',
      setBy: { manager: 'kubectl-edit', operation: 'Update', subresource: null, since: '2026-01-01T08:00:00Z' },
    });
    const wantedLines = drift.desired.split('\n');
    const foundLines = drift.live?.split('\n') ?? [];
    expect(wantedLines[(replicas?.desiredLine ?? 0) - 1]?.trim()).toBe('replicas: 2');
    expect(foundLines[(replicas?.liveLine ?? 0) - 1]?.trim()).toBe('replicas: 5');
    const gone = drift.fields.find(({ path }) => path.endsWith('[name=log]'));
    expect(gone).toMatchObject({ kind: 'removed', setBy: null, liveLine: null });
    expect(wantedLines[(gone?.desiredLine ?? 0) - 1]?.trim()).toBe('- name: log');
    expect(drift.live).not.toContain('log:1');
  });

  it('[issue 9.4] shows what others have where nothing is left of what is wanted, with what is hidden elsewhere hidden', async () => {
    const selected: KubeObject = { ...deployment, spec: { selector: { matchLabels: { tier: 'front' } } } };
    const { commands, session } = await open({
      manifest: selected,
      live: await liveOf(selected, (live) => ({ ...live, spec: { selector: { matchLabels: { app: 'theirs' } } } })),
    });
    expect(compared(await commands.readDrift(session, SHOP, AT)).live).toContain('matchLabels:\n      app: theirs');
    const address = { theirs: `https://me:${CANARY}@example.com/` };
    const labelled = (live: KubeObject) => ({ ...live, metadata: { ...live.metadata, labels: address } });
    const hidden = await open({ manifest: deployment, live: await liveOf(deployment, labelled) });
    const { live: found } = compared(await hidden.commands.readDrift(hidden.session, SHOP, AT));
    expect(found).toContain('theirs: https://');
    expect(found).not.toContain(CANARY);
  });

  it('[issue 14.2] tells of each line that was found who set it, the last who did where several are noted, and of others that nobody is', async () => {
    const [newer, older] = [
      {
        manager: 'kubectl-edit',
        operation: 'Update',
        time: '2026-01-01T08:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { 'f:replicas': {} } },
      },
      {
        manager: 'slipway',
        operation: 'Update',
        time: '2026-01-01T07:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:spec': {
            'f:replicas': {},
            'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":"web"}': { '.': {}, 'f:name': {}, 'f:image': {} } } } },
          },
        },
      },
    ];
    const live = await edited();
    const noted = { ...live, metadata: { ...live.metadata, managedFields: [older, newer] } };
    const { commands, session } = await open({ manifest: deployment, live: noted });
    const { live: found, owners, lineOwners } = compared(await commands.readDrift(session, SHOP, AT));
    const lines = (found ?? '').split('\n');
    const setterOf = (text: string) => owners[lineOwners[lines.findIndex((line) => line.includes(text))] ?? -1];
    expect(lineOwners).toHaveLength(lines.length);
    expect(setterOf('replicas: 5')).toMatchObject({ manager: 'kubectl-edit', since: '2026-01-01T08:00:00Z' });
    expect(setterOf('image: web:1')).toMatchObject({ manager: 'slipway', since: '2026-01-01T07:00:00Z' });
    expect(setterOf('kind: Deployment')).toBeUndefined();
  });

  it('[design 8] of a Secret it shows keys, and that a value is another one', async () => {
    const found = Buffer.from('found-value').toString('base64');
    const live = await liveOf(secret, (held) => ({ ...held, data: { ...(held.data as object), key: found, more: found } }));
    const rig = await open({ manifest: secret, live });
    const drift = compared(await rig.commands.readDrift(rig.session, SHOP, KEY));
    expect(drift.fields).toMatchObject([
      { path: 'data.more', kind: 'added', hidden: 'secret', desired: null, live: null },
      { path: 'data.key', kind: 'changed', hidden: 'secret', desired: null, live: null },
    ]);
    expect(drift.desired).toContain('key: ••••••••\n');
    expect(drift.live).toMatch(/key: •+ \(another value\)\n {2}other: •+\n/);
    const text = JSON.stringify(drift);
    for (const leak of [CANARY, found, 'found-value', Buffer.from(CANARY).toString('base64')]) expect(text).not.toContain(leak);
  });

  it('[dispatch 13] an object that is gone has no text beside what is wanted', async () => {
    const { commands, session } = await open({ manifest: deployment, live: undefined });
    expect(await commands.readDrift(session, SHOP, AT)).toMatchObject({ exists: false, fields: [], live: null, hasManagedFields: false });
  });

  it('[dispatch 13] says that nobody is noted, where the server keeps no book', async () => {
    const live = await liveOf(deployment, (held) => ({ ...held, spec: { ...(held.spec as object), replicas: 5 } }));
    const { commands, session } = await open({ manifest: deployment, live });
    expect(await commands.readDrift(session, SHOP, AT)).toMatchObject({
      hasManagedFields: false,
      fields: [{ path: 'spec.replicas', setBy: null }],
    });
  });

  it.each(['applications', 'deployments'])('[design 8] is refused without the right to get %s', async (missing) => {
    const { commands, session } = await open({
      manifest: deployment,
      live: await edited(),
      rules: { may: ({ resource }) => resource !== missing },
    });
    await expect(commands.readDrift(session, SHOP, AT)).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('[issue 9.4] a row may be older than what is wanted: read, it says so, and is no error; put back or replaced, it is refused', async () => {
    const { commands, session, recorded } = await open({ manifest: deployment, live: await edited() });
    const other = { ...AT, name: 'other' };
    expect(await commands.readDrift(session, SHOP, other)).toEqual({ state: 'uncompared', at: expect.any(String), why: NOT_LISTED });
    const refused = { code: 'not-found', message: `Deployment other in shop cannot be compared: ${NOT_LISTED}` };
    await expect(commands.revertObject(session, SHOP, { ...request(PATHS), name: 'other' })).rejects.toMatchObject(refused);
    await expect(
      commands.replaceObject(session, SHOP, { ...request(PATHS), name: 'other', uid: 'u', blast: [], waitsFor: [] }),
    ).rejects.toMatchObject(refused);
    expect(recorded).toEqual([]);
  });
});
