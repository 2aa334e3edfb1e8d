import { describe, expect, it } from 'vitest';
import type { ReleaseEditRequest } from '@/lib/contract/release-edit';
import { readField } from '@/lib/kube/fields';
import { KINDS, PLAN, PLAN_ACCEPTED } from '@/lib/kube/kinds';
import { MASK } from '@/lib/kube/mask';
import { KubeApiError, readPlanFor } from '@/server/kube';
import { createCommandRig, SHOP } from './rig';

const PLAN_SEEN = `sha256:${'a'.repeat(64)}`;
const NOW = `sha256:${'b'.repeat(64)}`;
const HIDDEN = 'value-of-a-secret';
const secret = (password: string) => ({ kind: 'Secret', metadata: { name: 'key' }, stringData: { password } });
const values = { replicas: 1, extra: [secret(HIDDEN)] };
const chart = { repository: 'https://charts.example.com', name: 'web', version: '1.0.0' };

const declared = (over: object = {}, annotations: Readonly<Record<string, string>> = {}) => ({
  ...KINDS.helmRelease,
  metadata: { namespace: 'shop', name: 'web', uid: 'u', generation: 3, annotations },
  spec: { chart, values, wait: true, ...over },
});
const yamlOf = (password: string, more = '') =>
  `replicas: 2\nextra:\n  - kind: Secret\n    metadata: { name: key }\n    stringData: { password: "${password}" }\n${more}`;
const edit = (over: Partial<ReleaseEditRequest> = {}): ReleaseEditRequest => ({
  kind: 'helmrelease',
  uid: 'u',
  generation: 3,
  values: 'replicas: 2\n',
  plan: PLAN_SEEN,
  ...over,
});
const open = (object: ReturnType<typeof declared> = declared()) => createCommandRig({ objects: [object] });

describe('editing a release', () => {
  it('[issue 12.4] writes values and version as the person, with the plan that they saw in the same write, after that is on record', async () => {
    const { commands, session, cluster, recorded } = await open();
    await commands.editRelease(session, SHOP, edit({ chart: '1.1.0' }));
    expect(cluster.writes.map(({ person, dryRun }) => [person?.user, dryRun])).toEqual([
      ['operator', true],
      ['operator', false],
    ]);
    const written = cluster.writes.at(-1)?.object;
    expect(written?.spec).toEqual({ chart: { ...chart, version: '1.1.0' }, values: { replicas: 2 }, wait: true });
    expect(readPlanFor(written?.spec, written?.metadata.annotations?.[PLAN.seen])?.digest).toBe(PLAN_SEEN);
    expect(recorded).toMatchObject([{ action: 'release.edit', actor: 'operator', data: { plan: PLAN_SEEN } }]);
    expect(recorded[0]?.message).toBe('changes HelmRelease web in shop, to be released as previewed');
  });

  it('[issue 12.4] writes one of flux.weave.works as such, however another of its name is', async () => {
    const older = { ...declared(), ...KINDS.olderHelmRelease, metadata: { ...declared().metadata, uid: 'older' } };
    const { commands, session, cluster } = await createCommandRig({ objects: [declared(), older] });
    await commands.editRelease(session, SHOP, edit({ kind: 'helmrelease-v1beta1', uid: 'older', chart: '1.1.0' }));
    expect(cluster.writes.at(-1)?.object).toMatchObject({
      ...KINDS.olderHelmRelease,
      metadata: { uid: 'older' },
      spec: { chart: { version: '1.1.0' }, values: { replicas: 2 } },
    });
    await expect(commands.editRelease(session, SHOP, edit({ kind: 'helmrelease-v1beta1' }))).rejects.toMatchObject({ code: 'conflict' });
  });

  it('[issue 12.4] writes the values alone where the chart stays, and no values at all where none are written', async () => {
    const git = { git: 'https://git.example.com/a', path: 'a' };
    for (const change of [{}, { chart: '' }]) {
      const { commands, session, cluster } = await open(declared({ chart: git }));
      await commands.editRelease(session, SHOP, edit({ ...change, values: '# nothing\n' }));
      expect(cluster.writes.at(-1)?.object.spec).toStrictEqual({ chart: git, wait: true });
      const { values: text } = await commands.readEditableRelease(session, { ...SHOP, kind: 'helmrelease' });
      expect(text).toBe('');
    }
    const flux = { ...KINDS.fluxHelmRelease, metadata: declared().metadata, spec: { chartGitPath: 'web', values: {} } };
    const { commands, session, cluster } = await createCommandRig({ objects: [flux] });
    await commands.editRelease(session, SHOP, edit({ kind: 'fluxhelmrelease' }));
    expect(cluster.writes.at(-1)?.object.spec).toStrictEqual({ chartGitPath: 'web', values: { replicas: 2 } });
  });

  it('[issue 12.4] writes nothing without a plan, on another state than was seen, on old data, or where nobody would do it', async () => {
    const rig = await open();
    const { commands, session, cluster } = rig;
    const { plan: _plan, ...unseen } = edit();
    await expect(commands.editRelease(session, SHOP, unseen)).rejects.toThrow('needs the plan that was seen');
    await expect(commands.editRelease(session, SHOP, edit({ generation: 2 }))).rejects.toThrow(
      'HelmRelease web in shop was changed since you opened it',
    );
    await expect(commands.editRelease(session, SHOP, edit({ uid: 'other' }))).rejects.toThrow('deleted and created again');
    await expect(commands.editRelease(session, SHOP, edit({ values: '- a\n' }))).rejects.toThrow('values must be a map, found a list');
    rig.stale = { since: '09:00', reason: 'the watch is gone' };
    await expect(commands.editRelease(session, SHOP, edit())).rejects.toMatchObject({ code: 'stale' });
    rig.stale = null;
    rig.standing = 'a helm-operator drives releases';
    await expect(commands.editRelease(session, SHOP, edit())).rejects.toThrow('a helm-operator drives releases');
    rig.standing = null;
    rig.unrecorded = new Error('the record is not open');
    await expect(commands.editRelease(session, SHOP, edit())).rejects.toThrow('the record is not open');
    expect(cluster.writes).toEqual([]);
  });

  it('[issue 12.4] is tried again where the engine wrote a status meanwhile: the draft, the change, and what accepts its plan', async () => {
    const conflict = new KubeApiError({ code: 409, reason: 'Conflict', message: 'the object has been modified' });
    const busy = (object = declared()) => {
      let writes = 0;
      return createCommandRig({ objects: [object], refuse: () => (writes++ < 2 ? conflict : undefined) });
    };
    const drafts = await busy();
    expect((await drafts.commands.draftRelease(drafts.session, SHOP, edit({ dryRun: true }))).object.spec).toMatchObject({
      values: { replicas: 2 },
    });
    const edits = await busy();
    await edits.commands.editRelease(edits.session, SHOP, edit());
    const waiting = edits.cluster.writes.at(-1)?.object as ReturnType<typeof declared>; // as it was written
    const accepts = await busy(waiting);
    const { generation } = waiting.metadata;
    await accepts.commands.acceptReleasePlan(accepts.session, SHOP, { kind: 'helmrelease', uid: 'u', generation, plan: NOW });
    for (const { cluster } of [edits, accepts]) expect(cluster.writes.filter(({ dryRun }) => !dryRun)).toHaveLength(1);
  });

  it('[issue 12.4] tries a draft as the person, without effect', async () => {
    const { commands, session, cluster } = await open();
    const { object, held } = await commands.draftRelease(session, SHOP, edit({ dryRun: true }));
    expect([readField(object, 'spec', 'values'), readField(held, 'spec', 'values')]).toEqual([{ replicas: 2 }, values]);
    expect(cluster.writes.map(({ person, dryRun }) => [person?.user, dryRun])).toEqual([['operator', true]]);
  });

  it('[design 8] shows no value of a Secret among the values, and keeps it where its mask stays', async () => {
    const { commands, session, cluster } = await open();
    const shown = await commands.readEditableRelease(session, { ...SHOP, kind: 'helmrelease' });
    expect(shown.values).not.toContain(HIDDEN);
    expect(shown.values).toContain(`password: ${MASK}`);
    expect(shown.chart).toEqual({ field: 'version', value: '1.0.0' });
    await commands.editRelease(session, SHOP, edit({ values: shown.values.replace('replicas: 1', 'replicas: 2') }));
    expect(readField(cluster.writes.at(-1)?.object, 'spec', 'values')).toEqual({ ...values, replicas: 2 });
  });

  it.each([
    ['elsewhere', `replicas: 2\nother: ${MASK}\n`],
    ['in a Secret of another name', yamlOf(MASK).replace('name: key', 'name: other')],
    ['in what is no Secret any more', yamlOf(MASK).replace('kind: Secret', 'kind: ConfigMap')],
    ['behind another member of the list', `replicas: 2\nextra:\n  - a: 1\n${yamlOf(MASK).split('extra:\n')[1]}`],
    ['inside other text', yamlOf(`x${MASK}`)],
  ])('[design 8] takes no mask %s', async (_where, text) => {
    const { commands, session, cluster } = await open();
    await expect(commands.editRelease(session, SHOP, edit({ values: text }))).rejects.toMatchObject({ code: 'invalid' });
    expect(cluster.writes).toEqual([]);
  });

  it.each([
    ['a Secret that becomes a ConfigMap', (text: string) => text.replace('kind: Secret', 'kind: ConfigMap')],
    ['a Secret that is of no kind any more', (text: string) => text.replace('kind: Secret', 'sort: Secret')],
    ['a variable that is sensitive no more', (text: string) => text.replace('sensitive: true', 'sensitive: false')],
  ])('[design 8] writes no hidden value to where it can be read: %s', async (_what, change) => {
    const held = { key: secret(HIDDEN), env: [{ name: 'TOKEN', sensitive: true, value: HIDDEN }] };
    const { commands, session, cluster } = await open(declared({ values: held }));
    const shown = await commands.readEditableRelease(session, { ...SHOP, kind: 'helmrelease' });
    expect(shown.values.split(MASK).length).toBeGreaterThan(2);
    expect(change(shown.values)).not.toBe(shown.values);
    await expect(commands.editRelease(session, SHOP, edit({ values: change(shown.values) }))).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('no hidden value is there'),
    });
    expect(cluster.writes).toEqual([]);
    await commands.editRelease(session, SHOP, edit({ values: `${shown.values}more: 1\n` }));
    expect(readField(cluster.writes.at(-1)?.object, 'spec', 'values')).toEqual({ ...held, more: 1 });
  });

  describe('[issue 10.1] whose values hold a password in a text', () => {
    const manifest = (password: string) => `apiVersion: v1\nkind: Secret\nmetadata: { name: db }\nstringData: { password: ${password} }\n`;
    const held = { replicas: 1, database: `https://app:${HIDDEN}@db.example.com/shop`, deploy: [manifest(HIDDEN)] };
    const at = { ...SHOP, kind: 'helmrelease' } as const;

    it('shows none, and keeps each where it was shown', async () => {
      const { commands, session, cluster } = await open(declared({ values: held }));
      const { values: text } = await commands.readEditableRelease(session, at);
      expect(text).not.toContain(HIDDEN);
      expect(text).toContain(`database: https://${MASK}@db.example.com/shop\n`);
      await commands.editRelease(session, SHOP, edit({ values: text.replace('replicas: 1', 'replicas: 2') }));
      expect(readField(cluster.writes.at(-1)?.object, 'spec', 'values')).toEqual({ ...held, replicas: 2 });
    });

    it.each([
      ['another host', (text: string) => text.replace('db.example.com', 'thief.example.com')],
      ['another name', (text: string) => text.replace('database:', 'shown:')],
      ['another text', (text: string) => text.replace('database: https', 'database: see https')],
      ['a text of its own', (text: string) => text.replace(/database: .*/, `database: "${MASK}"`)],
    ])('and keeps none for %s', async (_what, change) => {
      const { commands, session, cluster } = await open(declared({ values: held }));
      const { values: text } = await commands.readEditableRelease(session, at);
      expect(change(text)).not.toBe(text);
      await expect(commands.editRelease(session, SHOP, edit({ values: change(text) }))).rejects.toMatchObject({ code: 'invalid' });
      expect(cluster.writes).toEqual([]);
    });
  });

  it('[issue 12.4] offers the branch of a chart in git, and of a FluxHelmRelease values alone', async () => {
    const git = await open(declared({ chart: { git: 'https://git.example.com/a', path: 'a' } }));
    expect((await git.commands.readEditableRelease(git.session, { ...SHOP, kind: 'helmrelease' })).chart).toEqual({
      field: 'ref',
      value: '',
    });
    await git.commands.editRelease(git.session, SHOP, edit({ chart: 'next' }));
    expect(readField(git.cluster.writes.at(-1)?.object, 'spec', 'chart')).toEqual({
      git: 'https://git.example.com/a',
      path: 'a',
      ref: 'next',
    });
    const base = { ...KINDS.fluxHelmRelease, metadata: declared().metadata, spec: { chartGitPath: 'web', values: {} } };
    const flux = await createCommandRig({ objects: [base] });
    expect((await flux.commands.readEditableRelease(flux.session, { ...SHOP, kind: 'fluxhelmrelease' })).chart).toBeNull();
    await expect(flux.commands.editRelease(flux.session, SHOP, edit({ kind: 'fluxhelmrelease', chart: 'next' }))).rejects.toMatchObject({
      code: 'invalid',
    });
  });
});

describe('accepting what a change of a release would do now', () => {
  it('[issue 12.4] is an act of its own on the very change that waits', async () => {
    const first = await open();
    await first.commands.editRelease(first.session, SHOP, edit());
    const waiting = first.cluster.writes.at(-1)?.object as ReturnType<typeof declared>; // as it was written
    const { commands, session, cluster, recorded } = await createCommandRig({ objects: [waiting] });
    expect(await commands.readWaitingRelease(session, { ...SHOP, kind: 'helmrelease' })).toMatchObject({ plan: PLAN_SEEN });
    const { generation } = waiting.metadata;
    await commands.acceptReleasePlan(session, SHOP, { kind: 'helmrelease', uid: 'u', generation, plan: NOW });
    const written = cluster.writes.at(-1)?.object;
    expect(written?.spec).toEqual(waiting.spec);
    expect(readPlanFor(written?.spec, written?.metadata.annotations?.[PLAN.seen])?.digest).toBe(NOW);
    const message = `accepts what the change of HelmRelease web in shop would do now, ${NOW}`;
    expect(recorded).toMatchObject([{ action: 'release.accept-plan', message }]);
  });

  it('[issue 12.4] needs a change that waits', async () => {
    const message = 'no change of HelmRelease web in shop is waiting with a previewed plan';
    const { annotations: _none, ...bare } = declared().metadata;
    for (const object of [declared(), { ...declared(), metadata: bare }]) {
      const { commands, session, cluster } = await createCommandRig({ objects: [object] });
      const request = { kind: 'helmrelease', uid: 'u', generation: 3, plan: NOW } as const;
      await expect(commands.acceptReleasePlan(session, SHOP, request)).rejects.toMatchObject({ code: 'rejected', message });
      const read = commands.readWaitingRelease(session, { ...SHOP, kind: 'helmrelease' });
      await expect(read).rejects.toMatchObject({ code: 'not-found', message });
      expect(cluster.writes).toEqual([]);
    }
  });

  it('[issue 12.4] writes nothing on another state or release than was seen, on old data, or where nobody would do it', async () => {
    const first = await open();
    await first.commands.editRelease(first.session, SHOP, edit());
    const waiting = first.cluster.writes.at(-1)?.object as ReturnType<typeof declared>; // as it was written
    const rig = await createCommandRig({ objects: [waiting] });
    const request = { kind: 'helmrelease', uid: 'u', generation: waiting.metadata.generation, plan: NOW } as const;
    const accept = (over: object = {}) => rig.commands.acceptReleasePlan(rig.session, SHOP, { ...request, ...over });
    await expect(accept({ generation: 2 })).rejects.toThrow('was changed since you opened it');
    await expect(accept({ uid: 'other' })).rejects.toThrow('deleted and created again');
    rig.stale = { since: '09:00', reason: 'the watch is gone' };
    await expect(accept()).rejects.toMatchObject({ code: 'stale' });
    rig.stale = null;
    rig.standingOf = (engine) => (engine === 'chartsync' ? 'a helm-operator drives releases' : null);
    await expect(accept()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('a helm-operator drives releases'),
    });
    rig.standingOf = (engine) => (engine === 'chartsync' ? null : 'another drives these');
    rig.unrecorded = new Error('the record is not open');
    await expect(accept()).rejects.toThrow('the record is not open');
    expect(rig.cluster.writes).toEqual([]);
    rig.unrecorded = null;
    await accept();
    expect(rig.cluster.writes.at(-1)?.person?.user).toBe('operator');
  });

  it('[design 8] needs the right to change the release, and to see it the one to read it', async () => {
    const first = await open();
    await first.commands.editRelease(first.session, SHOP, edit());
    const waiting = first.cluster.writes.at(-1)?.object as ReturnType<typeof declared>; // as it was written
    const lacking = (verb: string) =>
      createCommandRig({ objects: [waiting], may: (right) => right.verb !== verb || right.resource !== 'helmreleases' });
    const request = { kind: 'helmrelease', uid: 'u', generation: waiting.metadata.generation, plan: NOW } as const;
    const poor = await lacking('update');
    await expect(poor.commands.acceptReleasePlan(poor.session, SHOP, request)).rejects.toMatchObject({ code: 'forbidden' });
    expect(poor.cluster.writes).toEqual([]);
    const blind = await lacking('get');
    await expect(blind.commands.readWaitingRelease(blind.session, { ...SHOP, kind: 'helmrelease' })).rejects.toMatchObject({
      code: 'forbidden',
    });
  });

  it('[issue 12.4] is none of a change that was accepted already', async () => {
    const first = await open();
    await first.commands.editRelease(first.session, SHOP, edit());
    const waiting = first.cluster.writes.at(-1)?.object as ReturnType<typeof declared>; // as it was written
    const { annotations } = waiting.metadata;
    const accepted = {
      ...waiting,
      metadata: { ...waiting.metadata, annotations: { ...annotations, [PLAN_ACCEPTED]: `4 ${annotations[PLAN.seen]}` } },
    };
    const { commands, session, cluster } = await createCommandRig({ objects: [accepted] });
    const request = { kind: 'helmrelease', uid: 'u', generation: waiting.metadata.generation, plan: NOW } as const;
    await expect(commands.acceptReleasePlan(session, SHOP, request)).rejects.toMatchObject({ code: 'rejected' });
    await expect(commands.readWaitingRelease(session, { ...SHOP, kind: 'helmrelease' })).rejects.toMatchObject({ code: 'not-found' });
    expect(cluster.writes).toEqual([]);
  });
});
