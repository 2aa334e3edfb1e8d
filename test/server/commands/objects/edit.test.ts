import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EditableObject, ObjectEditPreview, ObjectEditRequest } from '@/lib/contract/acts/object-edit';
import { AppError } from '@/lib/contract/app-error';
import type { RecordEntry } from '@/lib/contract/record-entry';
import { readField } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { MASK } from '@/lib/kube/mask';
import type { KubeObject } from '@/lib/kube/object';
import type { CommandDeps } from '@/server/commands/command-deps';
import { answerText } from '@/server/commands/editor/answer-text';
import { createTextReader } from '@/server/commands/editor/text-reader';
import { editObject, readEditableObject } from '@/server/commands/objects/edit/edit-object';
import type { ObjectsRig } from './rig';
import { ANN, configMap, createObjectsRig } from './rig';

const SECRET = 'canary-edit-7710';

describe('editing any object', () => {
  let rig: ObjectsRig;
  const recorded: RecordEntry[] = [];
  const over = (more: Partial<CommandDeps> = {}): CommandDeps => ({
    ...rig.deps,
    texts: createTextReader(async (_owner, task) => ({ kind: 'answered', answer: answerText(task) })),
    requireRecord: async () => undefined,
    record: async (entry) => void recorded.push(entry),
    ...more,
  });
  const addressOf = ({ apiVersion, kind, metadata: { namespace, name = '' } }: KubeObject) => ({
    ...{ apiVersion, kind, name },
    ...(namespace === undefined ? {} : { namespace }),
  });
  const open = (object: KubeObject, deps = over()) => readEditableObject(deps, ANN, addressOf(object));
  const request = (object: KubeObject, { uid, state }: EditableObject, manifest: string): ObjectEditRequest => {
    const { namespace, ...at } = addressOf(object);
    return { ...at, ...(namespace === undefined ? {} : { ns: namespace }), manifest, seen: { uid, state } };
  };
  const preview = async (asked: ObjectEditRequest, deps = over()) =>
    (await editObject(deps, ANN, { ...asked, dryRun: true })) as ObjectEditPreview;
  const apply = async (asked: ObjectEditRequest, deps = over()) =>
    editObject(deps, ANN, { ...asked, plan: (await preview(asked, deps)).plan });
  const live = (object: KubeObject) => rig.cluster.get(addressOf(object));
  const signed = ({ lines }: ObjectEditPreview, sign: string) => lines.flatMap((line) => (line.sign === sign ? line.text.trim() : []));

  beforeAll(async () => {
    rig = await createObjectsRig();
  });
  afterAll(async () => {
    await rig[Symbol.asyncDispose]();
  });

  it('[issue 14.1] shows what the cluster makes of it line by line, then writes exactly that, on record', async () => {
    const made = await rig.cluster.create(configMap('edited'));
    const opened = await open(made);
    expect(opened.text).not.toMatch(/resourceVersion|uid:|managedFields|creationTimestamp/);
    const asked = request(made, opened, opened.text.replace('a: "1"', 'a: "2"'));
    const told = await preview(asked);
    expect([signed(told, '-'), signed(told, '+'), told.fields, told.ignored]).toEqual([['a: "1"'], ['a: "2"'], ['data.a'], []]);
    expect((await live(made)).data).toEqual({ a: '1' });
    await apply({ ...asked, reason: 'a try' });
    expect((await live(made)).data).toEqual({ a: '2' });
    expect(recorded.at(-1)).toMatchObject({
      action: 'object.edit',
      actor: 'ann',
      message: expect.stringContaining('a try'),
      data: { uid: made.metadata.uid, fields: ['data.a'] },
    });
  });

  it('[design 14] is written on the state that was opened, and on no other object of the name; a status that moves on is no other state', async () => {
    const made = await rig.cluster.create({ ...KINDS.deployment, ...deployment('moving') });
    const opened = await open(made);
    const asked = request(made, opened, opened.text.replace('replicas: 2', 'replicas: 3'));
    await rig.cluster.update({ ...(await live(made)), status: { observedGeneration: 1 } }, { subresource: 'status' });
    await apply(asked);
    expect((await live(made)).spec).toMatchObject({ replicas: 3 });
    await expect(preview(asked)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('was changed after you opened it'),
    });
    await rig.cluster.delete(addressOf(made));
    await rig.cluster.create({ ...KINDS.deployment, ...deployment('moving') });
    await expect(preview(asked)).rejects.toThrow('was deleted and created again after you opened it');
  });

  it('[design 14] writes nothing that was not shown', async () => {
    const made = await rig.cluster.create(configMap('shown'));
    const opened = await open(made);
    const asked = request(made, opened, opened.text.replace('a: "1"', 'a: "3"'));
    const { plan } = await preview(asked);
    await expect(editObject(over(), ANN, { ...asked, manifest: asked.manifest.replace('"3"', '"4"'), plan })).rejects.toMatchObject({
      code: 'conflict',
    });
    expect((await live(made)).data).toEqual({ a: '1' });
  });

  it('[design 14] is not written where somebody else writes it between the look and the write', async () => {
    const made = await rig.cluster.create(configMap('raced'));
    const opened = await open(made);
    const racing = over({
      record: async ({ id }) => {
        if (!id.includes('/')) await rig.cluster.patch(addressOf(made), { type: 'merge', body: { data: { theirs: '1' } } });
      },
    });
    const asked = request(made, opened, opened.text.replace('a: "1"', 'a: "5"'));
    await expect(apply(asked, racing)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('was changed after you opened it'),
    });
    expect((await live(made)).data).toEqual({ a: '1', theirs: '1' });
  });

  it('[design 14] names the uid and the version of what was read in each write', async () => {
    const made = await rig.cluster.create(configMap('versioned'));
    const sent: KubeObject['metadata'][] = [];
    const update: typeof rig.cluster.update = (object, options) => {
      sent.push(object.metadata);
      return rig.cluster.update(object, options);
    };
    const deps = over({ cluster: { ...rig.deps.cluster, as: () => ({ ...rig.cluster, update }) } });
    const opened = await open(made);
    await apply(request(made, opened, opened.text.replace('a: "1"', 'a: "6"')), deps);
    const { uid, resourceVersion } = made.metadata;
    expect(sent.length).toBeGreaterThan(1);
    for (const metadata of sent) expect(metadata).toMatchObject({ uid, resourceVersion });
  });

  it.each([
    ['another kind', 'kind: ConfigMap', 'kind: Secret'],
    ['another group', 'apiVersion: v1', 'apiVersion: example.com/v1'],
    ['another name', 'name: itself', 'name: another'],
    ['another namespace', 'namespace: default', 'namespace: kube-system'],
  ])('[design 14] is of the object that was opened, and of none of %s', async (_what, from, to) => {
    const made = await rig.cluster.create(configMap('itself')).catch(() => live(configMap('itself')));
    const opened = await open(made);
    expect(opened.text).toContain(from);
    await expect(preview(request(made, opened, opened.text.replace(from, to)))).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('the manifest must be of ConfigMap itself in default'),
    });
  });

  it('[design 8] is neither read nor written without the right to see it, or to update it', async () => {
    const made = await rig.cluster.create(configMap('not-theirs'));
    const opened = await open(made);
    const asked = request(made, opened, opened.text.replace('a: "1"', 'a: "7"'));
    for (const missing of ['view-object', 'act-on-object'] as const) {
      rig.refuse = ({ kind }) => (kind === missing ? new AppError('forbidden', 'ann may not') : undefined);
      await expect(preview(asked)).rejects.toMatchObject({ code: 'forbidden' });
      if (missing === 'view-object') await expect(open(made)).rejects.toMatchObject({ code: 'forbidden' });
    }
    rig.refuse = () => undefined;
    expect((await live(made)).data).toEqual({ a: '1' });
  });

  it('[issue 14.1] masks values of a Secret: a mask that is left keeps its value, one in another place is refused, and no value is told', async () => {
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'default', name: 'masked' },
      stringData: { key: SECRET, other: 'b' },
    };
    const made = await rig.cluster.create(secret);
    const opened = await open(made);
    expect([opened.masked, opened.text]).toEqual([true, expect.not.stringContaining(SECRET)]);
    const encoded = Buffer.from(SECRET).toString('base64');
    const asked = request(made, opened, opened.text.replace(`other: ${MASK}`, `other: ${Buffer.from('new').toString('base64')}`));
    const told = await preview(asked);
    expect(JSON.stringify(told)).not.toContain(encoded);
    expect(told.fields).toEqual(['data.other']);
    await apply(asked);
    expect((await live(made)).data).toEqual({ key: encoded, other: Buffer.from('new').toString('base64') });
    const reopened = await open(made);
    const moved = request(made, reopened, `${reopened.text}immutable: false\n`.replace(`key: ${MASK}`, `copied: ${MASK}`));
    await expect(preview(moved)).rejects.toMatchObject({ code: 'invalid', message: expect.stringContaining('masked values') });
  });

  it('[issue 10.1] shows no password of an address and no Secret in a text, and that there is to be another one', async () => {
    const file = (password: string) => `kind: Secret\nstringData: { password: ${password} }\n`;
    const data = { at: `https://app:${SECRET}@db.example.com`, file: file(SECRET), a: '1' };
    const made = await rig.cluster.create({ ...configMap('addressed'), data });
    const opened = await open(made);
    expect(opened.text).not.toContain(SECRET);
    await apply(request(made, opened, opened.text.replace('a: "1"', 'a: "2"')));
    expect((await live(made)).data).toEqual({ ...data, a: '2' });
    const again = await open(made);
    const other = again.text
      .replace(`https://${MASK}@`, 'https://app:another@')
      .replace(`file: ${MASK}`, `file: ${JSON.stringify(file('another'))}`);
    const told = await preview(request(made, again, other));
    expect(signed(told, '+')).toEqual([`at: https://${MASK}@db.example.com (another value)`, `file: ${MASK} (another value)`]);
    expect(JSON.stringify(told)).not.toContain('another@');
    await apply(request(made, again, other));
    expect((await live(made)).data).toEqual({ at: 'https://app:another@db.example.com', file: file('another'), a: '2' });
  });

  it('[issue 14.1] tells what the cluster refuses field by field, and what it leaves as it is', async () => {
    const made = await rig.cluster.create({ ...KINDS.deployment, ...deployment('strict') });
    const opened = await open(made);
    const wrong = request(made, opened, opened.text.replace('replicas: 2', 'replicas: -2'));
    await expect(preview(wrong)).rejects.toThrow(/spec\.replicas/);
    const unknown = request(made, opened, opened.text.replace('replicas: 2', 'replicas: 2\n  replica: 3'));
    await expect(preview(unknown)).rejects.toThrow(/spec\.replica/);
    const dropped = request(made, opened, opened.text.replace(/\n {2}revisionHistoryLimit: 10/, ''));
    expect((await preview(dropped)).ignored).toContain('spec.revisionHistoryLimit');
    await expect(apply(dropped)).rejects.toThrow('already matches the text');
  });

  it('[issue 14.1] names who set a field that changes, and the application whose engine sets it back', async () => {
    const applied = { ...deployment('owned'), apiVersion: KINDS.deployment.apiVersion, kind: KINDS.deployment.kind };
    await rig.cluster.patch(
      { ...KINDS.deployment, namespace: 'default', name: 'owned' },
      { type: 'apply', body: applied },
      { fieldManager: 'somebody' },
    );
    const made = await live(applied);
    const opened = await open(made);
    const asked = request(made, opened, opened.text.replace('replicas: 2', 'replicas: 5'));
    const deps = over({
      objectReader: { ...rig.deps.objectReader, applicationsOf: () => [{ ns: 'default', name: 'web' }] },
      desiredOf: () =>
        ({ manifest: made, repair: { when: 'soon', why: '' }, policy: {} }) as unknown as ReturnType<CommandDeps['desiredOf']>,
    });
    const told = await preview(asked, deps);
    expect(told.owners).toMatchObject([{ manager: 'somebody', operation: 'Apply', fields: ['spec.replicas'] }]);
    expect(told.warnings).toEqual(['Application web applies it: its engine reverts the fields that it sets within seconds.']);
  });

  it('[design 8] needs the right to update it, and changes nothing without', async () => {
    const made = await rig.cluster.create(configMap('rights'));
    const opened = await open(made);
    rig.refuse = (act) => (act.kind === 'act-on-object' ? Object.assign(new Error('no'), { code: 'forbidden' }) : undefined);
    const asked = request(made, opened, opened.text.replace('a: "1"', 'a: "9"'));
    await expect(preview(asked)).rejects.toThrow();
    rig.refuse = () => undefined;
    expect(readField((await live(made)).data, 'a')).toBe('1');
  });
});

function deployment(name: string): KubeObject {
  return {
    ...KINDS.deployment,
    metadata: { namespace: 'default', name },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image: 'main:1' }] } },
    },
  };
}
