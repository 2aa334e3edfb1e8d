import { describe, expect, it } from 'vitest';
import { getCondition } from '@/lib/kube/condition';
import { readField, readFields, readString } from '@/lib/kube/fields';
import { KINDS, SECRET } from '@/lib/kube/kinds';
import { MASK, maskSecrets } from '@/lib/kube/mask';
import type { KubeObject } from '@/lib/kube/object';
import { SUSPENDED } from '@/lib/kube/paused-by';
import { inlinePlaces, sensitivePlaces } from '@/lib/kube/sensitive';
import { parseApplication, render, resolveValues } from '@/server/application';
import { hashOf, toRevisionObject } from '@/server/application/revision';
import { extractValues } from '@/server/application/values/extract-values';
import { ApplicationHouse } from '../../support/application-house';

const CANARY = 'canary-71c0de';
const ENCODED = Buffer.from(CANARY).toString('base64');
const HOUR_MS = 60 * 60_000;
const secret = (over: object = {}) => ({ ...SECRET, metadata: { name: 'db' }, stringData: { password: CANARY }, ...over });
const set = (...objects: readonly object[]) => ({ name: 'set', type: 'k8s-objects', properties: { objects } });
const web = (env: readonly object[]) => ({ name: 'web', type: 'webservice', properties: { image: 'web:1', env } });
const PASSWORD = { name: 'PASSWORD', value: CANARY, sensitive: true };
const application = (components: readonly object[], name = 'web'): KubeObject => ({
  ...KINDS.application,
  metadata: { name, namespace: 'shop' },
  spec: { components },
});
const tells = (value: unknown) => new RegExp(`${CANARY}|${ENCODED}`).test(JSON.stringify(value) ?? '');
const renderOf = (object: KubeObject) => render(parseApplication(object), 'web-v1', { revisionHash: 'h' });
const bySecrets =
  (secrets: readonly KubeObject[]) =>
  ({ name }: { readonly name: string }) =>
    secrets.find(({ metadata }) => metadata.name === name);

describe('what is sensitive in an application', () => {
  it('[issue 10.1] is the value of an inline Secret and of a variable that says so, also in applications in it, and nothing else', () => {
    const inner = { ...application([set(secret())], 'inner'), metadata: { name: 'inner', namespace: 'cellar' } };
    const plain = { name: 'PLAIN', value: 'read me' };
    const places = sensitivePlaces(
      application([web([PASSWORD, plain]), set(secret(), { ...SECRET, apiVersion: 'example.com/v1', data: { a: 'b' } }, inner)]),
    );
    expect(places.map(({ what, owner }) => `${owner.namespace}/${owner.name}: ${what}`)).toEqual([
      'shop/web: variable PASSWORD of component web',
      'shop/web: stringData.password of Secret shop/db',
      'cellar/inner: stringData.password of Secret cellar/db',
    ]);
  });

  it('[issue 10.1] is never shown, by whatever way an application is', () => {
    expect(maskSecrets(application([web([PASSWORD])]))).toMatchObject({
      masked: true,
      value: { spec: { components: [{ properties: { env: [{ name: 'PASSWORD', value: MASK, sensitive: true }] } }] } },
    });
  });

  it('[issue 10.1] is accepted in a variable, and no container is told that it is', () => {
    const { manifests } = renderOf(application([web([{ ...PASSWORD, value: 'x' }])]));
    expect(readField(manifests[0], 'spec', 'template', 'spec', 'containers', 0, 'env')).toEqual([{ name: 'PASSWORD', value: 'x' }]);
  });
});

describe('moving values', () => {
  const written = application([
    web([PASSWORD]),
    set(secret(), secret({ metadata: { name: 'other' }, stringData: undefined, data: { key: ENCODED } })),
  ]);

  it('[issue 10.1] leaves none in the application, and each in an immutable Secret that is named by keyed digest', () => {
    const { object, secrets } = extractValues(written, 'key');
    expect(tells(object)).toBe(false);
    expect(inlinePlaces(object)).toEqual([]);
    expect(
      secrets.map(({ metadata, type, immutable }) => [
        /^web-values-[0-9a-f]{20}$/.test(metadata.name ?? ''),
        metadata.namespace,
        metadata.labels,
        type,
        immutable,
      ]),
    ).toEqual(Array.from({ length: 3 }, () => [true, 'shop', { 'slipway.dev/values-of': 'web' }, 'slipway.dev/values', true]));
    for (const { data } of secrets) expect(Object.values(readFields({ data }, 'data'))).toEqual([ENCODED]);
    const names = (key: string, of = written) => extractValues(of, key).secrets.map(({ metadata }) => metadata.name);
    expect(names('key')).toEqual(names('key'));
    // Without the key nobody can try out what a short value comes to.
    expect(names('other').some((name) => names('key').includes(name))).toBe(false);
  });

  it('[issue 10.1] names a Secret by what it holds: another value gets another one, and those beside it stay', () => {
    const [variables, first, second] = extractValues(written, 'key').secrets.map(({ metadata }) => metadata.name);
    const changed = application([
      web([PASSWORD]),
      set(
        secret({ stringData: { password: 'another' } }),
        secret({ metadata: { name: 'other' }, stringData: undefined, data: { key: ENCODED } }),
      ),
    ]);
    const names = extractValues(changed, 'key').secrets.map(({ metadata }) => metadata.name);
    expect([names[0], names[2]]).toEqual([variables, second]);
    expect(names[1]).not.toBe(first);
  });

  it('[issue 10.1] gives a Secret its values back when it is rendered, and a container only the reference', () => {
    const { object, secrets } = extractValues(written, 'key');
    const resolved = resolveValues(renderOf(object), { name: 'web', namespace: 'shop' }, bySecrets(secrets));
    if (resolved.kind === 'missing') throw new Error(resolved.why);
    const [workload, db, other] = resolved.rendered.manifests;
    expect([db?.stringData, other?.data]).toEqual([{ password: CANARY }, { key: ENCODED }]);
    expect(tells(workload)).toBe(false);
    expect(readField(workload, 'spec', 'template', 'spec', 'containers', 0, 'env')).toEqual([
      {
        name: 'PASSWORD',
        valueFrom: { secretKeyRef: { name: secrets[0]?.metadata.name, key: expect.stringMatching(/^web\.PASSWORD\.[0-9a-f]{16}$/) } },
      },
    ]);
  });

  // Whoever may change an application but read none of its Secrets gets no value by referring to it elsewhere.
  it.each<[string, (reference: unknown) => object, string]>([
    [
      'in a Secret of another namespace',
      (password) => secret({ metadata: { name: 'db', namespace: 'mine' }, stringData: { password } }),
      'has it for another field',
    ],
    [
      'in a Secret of another name',
      (password) => secret({ metadata: { name: 'mine' }, stringData: { password } }),
      'has it for another field',
    ],
    ['under another key', (mine) => secret({ stringData: { mine } }), 'has it for another field'],
    ['under another member', (password) => secret({ stringData: undefined, data: { password } }), 'has it for another field'],
  ])('[issue 10.1] gives none %s', (_where, place, sentence) => {
    const { object, secrets } = extractValues(application([set(secret())]), 'key');
    const reference = readField(object, 'spec', 'components', 0, 'properties', 'objects', 0, 'stringData', 'password');
    const resolved = resolveValues(renderOf(application([set(place(reference))])), { name: 'web', namespace: 'shop' }, bySecrets(secrets));
    expect(resolved).toMatchObject({ kind: 'missing', why: expect.stringContaining(sentence) });
  });

  it.each<[string, object, string]>([
    ['of another application', { labels: { 'slipway.dev/values-of': 'other' } }, 'holds no values of application web'],
    ['that is none of ours', { type: 'Opaque' }, 'holds no values of application web'],
    ['that lost it', { data: {} }, 'which has no shop.db.stringData.password'],
  ])('[issue 10.1] takes none from a Secret %s', (_what, { labels, ...over }: { readonly labels?: object }, sentence) => {
    const { object, secrets } = extractValues(application([set(secret())]), 'key');
    const found = secrets.map((one) => ({ ...one, ...over, metadata: { ...one.metadata, ...(labels ? { labels } : {}) } }) as KubeObject);
    const resolved = resolveValues(renderOf(object), { name: 'web', namespace: 'shop' }, bySecrets(found));
    expect(resolved).toMatchObject({ kind: 'missing', why: expect.stringContaining(sentence) });
  });

  it.each<[string, object, string]>([
    [
      'no text',
      secret({ stringData: { password: 12_345_678 } }),
      'stringData.password of Secret shop/db must be a string, found a number; put it in quotes',
    ],
    ['no base64', secret({ stringData: undefined, data: { password: `${CANARY}!` } }), 'data.password of Secret shop/db must be base64'],
  ])('[issue 10.1] refuses what is %s with a sentence that does not tell it', (_what, wrong, sentence) => {
    const moving = () => extractValues(application([set(wrong)]), 'key');
    expect(moving).toThrow(sentence);
    expect(moving).not.toThrow(/12345678|canary/);
  });

  it('[issue 10.1] refuses a variable that is there twice, of whose values one would be lost', () => {
    expect(() => extractValues(application([web([PASSWORD, { ...PASSWORD, value: 'x' }])]), 'key')).toThrow(
      'variable PASSWORD of component web is set twice',
    );
  });
});

describe('an application that somebody wrote past the console, with values in it', () => {
  const spec = { components: [web([PASSWORD]), set(secret())] };
  const named = (house: ApplicationHouse) => house.server.all().filter(({ type }) => type === 'slipway.dev/values');

  it('[issue 10.1] is applied, and neither its revision nor anything else but Secrets holds one', async () => {
    await using house = await new ApplicationHouse().start();
    await house.apply(spec);
    expect(house.get(SECRET, 'db')).toMatchObject({ data: { password: ENCODED } });
    expect(named(house)).toHaveLength(2);
    for (const object of house.server.all())
      if (!['Secret', 'Application'].includes(object.kind)) expect([object.kind, tells(object)]).toEqual([object.kind, false]);
    expect(house.get(KINDS.applicationRevision, 'web-v1')).toBeDefined();
    expect(tells([...house.record.values()])).toBe(false);
    const open =
      'variable PASSWORD of component web and 1 more stand in Application web in shop as written: everyone who may read the application can read them';
    expect(getCondition(house.application(), 'Confidential')).toMatchObject({
      status: 'False',
      reason: 'InlineValues',
      message: expect.stringContaining(open),
    });
    const told = house.server.all().filter(({ kind, reason }) => kind === 'Event' && reason === 'InlineValues');
    expect(told).toMatchObject([{ type: 'Warning', message: expect.stringContaining(open) }]);
    const { uid } = house.application().metadata;
    for (const { metadata } of named(house)) expect(metadata.ownerReferences).toMatchObject([{ kind: 'Application', name: 'web', uid }]);
    house.takeWrites();
    await house.clock.advance(11 * 60_000);
    expect(house.takeWrites()).toEqual([]);
  });

  it('[issue 10.1] is no other revision than one that an older server made of it', async () => {
    await using house = await new ApplicationHouse().start();
    await house.stop();
    await house.server.create({
      ...KINDS.application,
      metadata: { name: 'web', namespace: 'shop' },
      spec: { components: [set(secret())] },
    });
    const former = parseApplication(house.application());
    await house.server.create(toRevisionObject(former, 'web-v1', hashOf(former)));
    await house.start();
    await house.clock.advance(1000);
    expect(house.get(SECRET, 'db')).toMatchObject({ data: { password: ENCODED } });
    expect([house.get(KINDS.applicationRevision, 'web-v2'), named(house)]).toEqual([undefined, []]);
    expect(readString(house.application(), 'status', 'latestRevision', 'name')).toBe('web-v1');
  });

  it('[issue 10.1] keeps values as long as a revision refers to them, and no longer than an hour after', async () => {
    await using house = await new ApplicationHouse().start();
    await house.apply(spec);
    const [first] = named(house).map(({ metadata }) => metadata.name ?? '');
    await house.apply({ components: [web([])] });
    await house.clock.advance(3 * HOUR_MS);
    expect(named(house).map(({ metadata }) => metadata.name)).toContain(first); // a rollback finds it
    await house.server.delete({ ...KINDS.applicationRevision, namespace: 'shop', name: 'web-v1' });
    await house.clock.settle();
    await house.clock.advance(HOUR_MS - 1000);
    expect(named(house)).toHaveLength(2);
    await house.clock.advance(2000);
    expect(named(house)).toEqual([]);
    expect([...house.record.values()].filter(({ action }) => action === 'values.deleted')).toHaveLength(2);
  });

  it('[issue 14.3] deletes no values of an application while it is suspended', async () => {
    await using house = await new ApplicationHouse().start();
    await house.apply(spec);
    await house.apply({ components: [web([])] });
    const suspend = async (annotation: string | null) => {
      const body = { metadata: { annotations: { [SUSPENDED]: annotation } } };
      await house.server.patch({ ...KINDS.application, namespace: 'shop', name: 'web' }, { type: 'merge', body });
    };
    await suspend('true');
    await house.server.delete({ ...KINDS.applicationRevision, namespace: 'shop', name: 'web-v1' });
    await house.clock.advance(3 * HOUR_MS);
    expect(named(house)).toHaveLength(2);
    await suspend(null);
    await house.clock.advance(2 * HOUR_MS);
    expect(named(house)).toEqual([]);
  });

  it('[issue 10.1] waits with a sentence where the Secret with its values is gone, and goes on once it is there', async () => {
    await using house = await new ApplicationHouse().start();
    const { object, secrets } = extractValues(application([set(secret())]), 'key');
    await house.apply(object.spec);
    const told = () => readString(house.application(), 'status', 'conditions', 1, 'message');
    expect(told()).toMatch(
      /^stringData\.password of Secret db in shop is stored in Secret web-values-[0-9a-f]{20} in shop, which does not exist/,
    );
    expect(house.get(SECRET, 'db')).toBeUndefined();
    for (const one of secrets) await house.server.create(one);
    await house.clock.advance(10_000);
    expect(house.get(SECRET, 'db')).toMatchObject({ data: { password: ENCODED } });
    const [{ metadata } = { metadata: {} as KubeObject['metadata'] }] = named(house);
    expect(metadata.ownerReferences).toMatchObject([{ kind: 'Application', name: 'web' }]);
  });
});
