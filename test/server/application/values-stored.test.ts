import { describe, expect, it } from 'vitest';
import { KINDS, SECRET, VALUES_OF } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { Observation } from '@/server/application/observe/observe';
import { parseApplication } from '@/server/application/spec/parse';
import { createValues, ensureValues, planWithValues } from '@/server/application/values/act-values';
import { extractValues } from '@/server/application/values/extract-values';
import { inlineValuesMessage } from '@/server/application/values/inline-values-message';
import { withExtractedValues } from '@/server/application/values/observe-values';
import { keyOf, readReference, VALUES_TYPE } from '@/server/application/values/reference';
import { referencedSecrets, secretsReferencedByRevision } from '@/server/application/values/referenced-secrets';
import { resolveValues } from '@/server/application/values/resolve-values';
import { KubeApiError } from '@/server/kube';
import { ActWorld } from './act-world';
import { holding, revisionOf, seenAfter } from './seen';
import { planned } from './staged-shop';
import { bare, KEY, reference, secretOf, values } from './values-scene';

describe('values that stand inline', () => {
  const inline = holding([secretOf('s', 'YQ=='), secretOf('t', 'Yg==')]);

  it('[design 8] are told by their places, and by what to do', () => {
    const told = (...places: readonly string[]) => inlineValuesMessage(inline, { places });
    expect(told('data.a of Secret shop/s')).toBe(
      'data.a of Secret shop/s stands in Application web in shop as written: everyone who may read the application can read it; write it again in the console, or refer to a Secret',
    );
    expect(told('one', 'two', 'three')).toContain(
      'one and 2 more stand in Application web in shop as written: everyone who may read the application can read them; write them again',
    );
  });

  it('[design 8] are seen as if the console had written them, once for each copy', async () => {
    let asked = 0;
    const key = async () => {
      asked += 1;
      return 'key';
    };
    const seen = await withExtractedValues(seenAfter([], inline), key);
    expect([seen.inline?.places, seen.inline?.secrets.length, JSON.stringify(seen.application).includes('YQ==')]).toEqual([
      ['data.token of Secret shop/s', 'data.token of Secret shop/t'],
      2,
      false,
    ]);
    expect(seen.inline?.written).toMatchObject({ name: 'web' });
    expect(seen.inline?.move(inline).secrets).toEqual(extractValues(inline, 'key').secrets);
    await withExtractedValues(seenAfter([], inline), key);
    expect(asked).toBe(1);
    const same = async (given: Observation) => (await withExtractedValues(given, key)) === given;
    expect([
      await same(seenAfter([], bare)),
      await same(seenAfter([], { ...inline, metadata: { ...inline.metadata, deletionTimestamp: 'x' } })),
      await same(seenAfter([], structuredClone(inline), { application: { fault: 'x' } })),
    ]).toEqual([true, true, true]);
    expect(asked).toBe(1);
  });

  it.each<[string, object, string]>([
    ['no text', secretOf('s', 7), 'data.token of Secret shop/s must be a string, found a number; put it in quotes'],
    ['a list', secretOf('s', ['x']), 'found a list; put it in quotes'],
    ['no base64', secretOf('s', 'no base64!'), 'data.token of Secret shop/s must be base64; to write a plain value, use stringData'],
  ])('[design 8] are refused without a word of them: %s', async (_what, secret, sentence) => {
    const seen = await withExtractedValues(seenAfter([], holding([secret])), async () => 'key');
    expect((seen.application as { readonly fault: string }).fault).toContain(sentence);
    expect(seen.inline).toBeUndefined();
  });

  it('[design 8] are refused where one is set twice, and broken lines of base64 are joined', () => {
    const twice = holding([secretOf('s', 'YQ=='), secretOf('s', 'YQ==')]);
    expect(() => extractValues(twice, 'key')).toThrow('data.token of Secret shop/s is set twice; remove one');
    const [secret] = extractValues(holding([secretOf('s', 'YWFh\r\nYWFh')]), 'key').secrets;
    expect(Object.values((secret?.data ?? {}) as object)).toEqual(['YWFhYWFh']);
    expect(extractValues(bare, 'key')).toEqual({ object: bare, secrets: [] });
    const [one, two] = ['', 'YQ='].map((text) => () => extractValues(holding([secretOf('s', text)]), 'key'));
    expect([one?.().secrets.length, two]).toEqual([1, expect.any(Function)]);
    expect(two).toThrow('must be base64');
    for (const text of ['a', 'YQ', 'YQ=', '=YQ=', 'Y!==', 'YWE!', 'YWE=x', 'xYWE=', '!YWFh', 'YWFh!'])
      expect(() => extractValues(holding([secretOf('s', text)]), 'key'), text).toThrow('must be base64');
    for (const text of ['YQ==', 'YWE=', 'YWFh', 'YWFhYQ==', 'YWFhYWE=', 'YWFhYWFh', '+/==', 'a+/='])
      expect(extractValues(holding([secretOf('s', text)]), 'key').secrets).toHaveLength(1);
    const both = (first: object, second: object) =>
      extractValues(holding([{ ...SECRET, metadata: { name: 's' }, data: { ...first, ...second } }]), 'key').secrets;
    expect(both({ b: 'YQ==' }, { a: 'Yg==' })).toEqual(both({ a: 'Yg==' }, { b: 'YQ==' }));
    expect(Object.values((both({ b: 'YQ==' }, { a: 'Yg==' })[0]?.data ?? {}) as object)).toEqual(['Yg==', 'YQ==']);
    expect(both({ a: 'YQ==' }, {})[0]?.metadata.name).toMatch(/^web-values-[0-9a-f]{20}$/);
  });

  it('[issue 10.1] are stored before the revision that refers to them, owned, and on record', async () => {
    const { object, secrets } = extractValues(inline, 'key');
    const world = new ActWorld();
    const seen = seenAfter([], inline, { application: parseApplication(object) });
    const given = { ...seen, inline: { secrets } } as unknown as Observation;
    await ensureValues(world.context(), planned(seen), given);
    const made = world.server.all().filter(({ kind }) => kind === 'Secret');
    expect(made.map(({ metadata }) => metadata.ownerReferences)).toEqual(
      [1, 2].map(() => [{ ...KINDS.application, name: 'web', uid: 'app' }]),
    );
    expect(world.record.map(({ id, message }) => [id, message])).toEqual(
      secrets.map(({ metadata }) => [`values.kept:app:${metadata.name}`, 'inline values of application web are stored for its revisions']),
    );
    await ensureValues(world.context(), planned(seen), given);
    expect([world.record.length, world.writes().length]).toEqual([2, 2]);
    const unheard = { valueSecrets: { get: () => undefined } };
    await ensureValues(world.context(unheard), planned(seen), given);
    expect(world.record, 'the copies had not heard of them').toHaveLength(2);
    const idle = new ActWorld();
    await ensureValues(idle.context(), planned(seen), seen);
    await ensureValues(idle.context(), { ...planned(seen), application: parseApplication(bare) }, given);
    expect(idle.writes()).toEqual([]);
    const stored = revisionOf(inline);
    await ensureValues(idle.context(), { ...planned(seen), revision: { name: 'web-v1', number: 1, hash: 'h', stored } }, given);
    expect(idle.writes(), 'a revision that holds them itself refers to nothing').toEqual([]);
    const ownersOf = async (metadata: object) => {
      const foreign = new ActWorld();
      const [secret] = secrets;
      const elsewhere = { ...secret, metadata: { ...secret?.metadata, ...metadata } };
      await ensureValues(foreign.context({ valueSecrets: { get: () => undefined } }), planned(seen), {
        ...seen,
        inline: { secrets: [elsewhere] },
      } as unknown as Observation);
      return foreign.server.all().map((made_) => made_.metadata.ownerReferences?.length);
    };
    expect(await ownersOf({ labels: { [VALUES_OF]: 'inner' } }), 'of an application in it').toEqual([undefined]);
    expect(await ownersOf({}), 'of its own').toEqual([1]);
    const inner = { ...holding([secretOf('s', 'YQ==')]), metadata: { name: 'web', namespace: 'cellar' } };
    const nested = holding([inner]);
    const moved = extractValues(nested, 'key');
    const far = new ActWorld();
    const farSeen = seenAfter([], nested, { application: parseApplication(moved.object) });
    await ensureValues(far.context(), planned(farSeen), { ...farSeen, inline: { secrets: moved.secrets } } as unknown as Observation);
    expect(
      far.server.all().map(({ metadata }) => [metadata.namespace, metadata.ownerReferences]),
      'of one of its name elsewhere',
    ).toEqual([['cellar', undefined]]);
  });

  it('[issue 10.1] are stored once, and never over something else', async () => {
    const secret = values('web-values-1');
    const taken = async () => {
      throw new KubeApiError({ code: 409, reason: 'AlreadyExists', message: 'it exists' });
    };
    expect(await createValues(secret, { write: async () => undefined, read: async () => secret })).toBe(true);
    expect(await createValues(secret, { write: taken, read: async () => ({ ...secret, metadata: {} }) })).toBe(false);
    for (const other of [{ data: { k: 'Yg==' } }, { type: 'Opaque' }, { immutable: false }])
      await expect(createValues(secret, { write: taken, read: async () => ({ ...secret, ...other }) as KubeObject })).rejects.toThrow(
        'Secret web-values-1 in shop already exists with other content; delete it, then try again',
      );
    const failing = async () => {
      throw new Error('down');
    };
    await expect(createValues(secret, { write: failing, read: async () => secret })).rejects.toThrow('down');
  });
});

describe('what stands for a value', () => {
  it('[issue 10.1] is told only of Secrets with values of that application', () => {
    const owner = { name: 'web', namespace: 'shop' };
    expect(readReference(reference(), owner)).toEqual({ name: 'web-values-1', key: 'k' });
    const none = [
      reference('other-values-1'),
      reference('web'),
      { valueFrom: { secretKeyRef: { name: 'web-values-1' } } },
      { valueFrom: {} },
      'text',
      undefined,
    ];
    expect(none.map((value) => readReference(value, owner))).toEqual(none.map(() => undefined));
    expect(keyOf(['Secret', 'shop', 's', 'data', 'k y'])).toMatch(/^shop\.s\.data\.k_y\.[0-9a-f]{16}$/);
    expect(keyOf(['a', 'x'.repeat(200)])).toHaveLength(117);
  });

  it('[issue 10.1] is counted once, in an application and in what a revision recorded', () => {
    const twice = holding([secretOf('s', reference()), secretOf('t', reference()), secretOf('u', 'YQ==')]);
    expect([referencedSecrets(twice), secretsReferencedByRevision(revisionOf(twice).object), referencedSecrets(bare)]).toEqual([
      [KEY],
      [KEY],
      [],
    ]);
    const broken = { ...KINDS.applicationRevision, metadata: { name: 'r' } };
    expect(
      [undefined, {}, { application: 'x' }, { application: { metadata: 'x' } }].map((spec) =>
        secretsReferencedByRevision({ ...broken, spec }),
      ),
    ).toEqual([[], [], [], []]);
  });

  it('[issue 10.1] is resolved for what is applied, what is restored, and as far as it can for what is served', async () => {
    const place = keyOf(['Secret', 'shop', 's', 'data', 'token']);
    const held = values('web-values-1', { [place]: 'YQ==' });
    const rendered = (value: unknown) => ({
      manifests: [
        secretOf('s', value, { namespace: 'shop' }),
        { ...SECRET, metadata: { name: 'plain', namespace: 'shop' } },
      ] as KubeObject[],
      workloads: {},
    });
    const [good, lost] = [rendered(reference('web-values-1', place)), rendered(reference('web-values-9', place))];
    const world = new ActWorld(held);
    const plan = { ...planned(seenAfter([], bare)), rendered: good };
    const beside = { workload: 'w', revision: {} as never };
    const dataOf = (manifests: readonly KubeObject[]) =>
      manifests.map((manifest) => (manifest.data as { readonly token?: unknown } | undefined)?.token);
    const resolve = (more: object) =>
      planWithValues(world.context(), { ...plan, ...more }, { inline: undefined } as unknown as Observation);
    const done = await resolve({
      served: [
        { ...beside, rendered: good },
        { ...beside, rendered: lost },
      ],
      restore: { revision: {} as never, rendered: good },
    });
    if (done.kind !== 'plan') throw new Error(done.why);
    expect([
      dataOf(done.plan.rendered.manifests),
      ...done.plan.served.map((one) => dataOf(one.rendered.manifests)),
      dataOf(done.plan.restore?.rendered.manifests ?? []),
    ]).toEqual([['YQ==', undefined], ['YQ==', undefined], [undefined], ['YQ==', undefined]]);
    expect((await resolve({})).kind).toBe('plan');
    expect([
      (await resolve({ rendered: lost })).kind,
      (await resolve({ restore: { revision: {} as never, rendered: lost } })).kind,
    ]).toEqual(['missing', 'missing']);
    const ahead = await planWithValues(new ActWorld().context(), plan, { inline: { secrets: [held] } } as unknown as Observation);
    expect(ahead.kind).toBe('plan');
  });

  it.each<[string, object | undefined, string]>([
    ['is nowhere', undefined, 'which does not exist; write the value again'],
    ['is in a Secret of another type', { type: 'Opaque' }, 'which holds no values of application web; write the value again'],
    ['is of another application', { labels: { [VALUES_OF]: 'api' } }, 'which holds no values of application web; write the value again'],
    ['has no such key', { data: {} }, 'write the value again'],
    ['is of another place', { data: { k: 'YQ==' }, key: 'k' }, 'which has it for another field; write the value where it is needed'],
  ])('[issue 10.1] is refused where it %s', (_what, more, sentence) => {
    const {
      type = VALUES_TYPE,
      labels = { [VALUES_OF]: 'web' },
      data,
      key,
    } = (more ?? {}) as { type?: string; labels?: object; data?: object; key?: string };
    const place = key ?? keyOf(['Secret', 'shop', 's', 'stringData', 'token']);
    const manifest = {
      ...SECRET,
      metadata: { name: 's' },
      stringData: { token: reference('web-values-1', place), other: 'x' },
    } as KubeObject;
    const held = values('web-values-1', data ?? { [place]: 'YQ==' }, { labels }, { type });
    const owner = { name: 'web', namespace: 'shop' };
    const told = resolveValues({ manifests: [manifest], workloads: {} }, owner, () => (more === undefined ? undefined : held));
    expect(told).toMatchObject({ kind: 'missing', why: expect.stringContaining(sentence) });
    expect((told as { readonly why: string }).why).toMatch(
      /^stringData\.token of Secret s in shop is stored in Secret web-values-1 in shop, /,
    );
    const fine = resolveValues(
      {
        manifests: [
          {
            ...manifest,
            stringData: { token: reference('web-values-1', keyOf(['Secret', 'shop', 's', 'stringData', 'token'])), other: 'x' },
          },
        ],
        workloads: {},
      },
      owner,
      () => values('web-values-1', { [keyOf(['Secret', 'shop', 's', 'stringData', 'token'])]: 'YQ==' }),
    );
    expect(fine).toMatchObject({ kind: 'resolved', rendered: { manifests: [{ stringData: { token: 'a', other: 'x' } }] } });
  });
});
