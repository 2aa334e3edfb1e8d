import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { KINDS } from '@/lib/kube/kinds';
import { MASK } from '@/lib/kube/mask';
import type { KubeObject } from '@/lib/kube/object';
import { applicationSchema } from '@/server/commands';
import { checkApplicationText } from '@/server/commands/editor/check-application-text';
import { KubeApiError } from '@/server/kube';
import { anApplication, aRevision, CANARY, createCommandRig, SHOP } from './rig';

const written = (over: object = {}) =>
  stringify({ ...KINDS.application, metadata: { name: 'web', namespace: 'shop' }, spec: anApplication().spec, ...over });

describe('a manifest while it is written', () => {
  const at = (text: string, line: number) => text.split('\n')[line - 1] ?? '';

  it('[design 3] has no problem when it could be applied', () => {
    expect(checkApplicationText(written())).toEqual([]);
  });

  it.each([
    ['an unknown property', written().replace('image: web:1', 'imago: web:1'), /imago/, /imago: web:1/],
    [
      'a missing property',
      written().replace('          image: web:1\n', '          port: 80\n').replace('        image: web:1\n', '        port: 80\n'),
      /image must be a string/,
      /properties/,
    ],
    ['an unknown type', written().replace('type: webservice', 'type: magic'), /must be one of webservice, worker/, /type: magic/],
    ['an unknown trait', written().replace('type: scaler', 'type: skaler'), /must be one of scaler, hpa/, /type: skaler/],
    ['a number that is too small', written().replace('replicas: 3', 'replicas: -3'), /must be at least 0, found -3/, /replicas: -3/],
    ['no YAML', written().replace('  name: web', '  name: [web'), /The text is not valid YAML/, /./],
    ['another kind', written().replace('kind: Application', 'kind: Deployment'), /must be an Application of/, /./],
    ['nothing', '', /found nothing/, /^$/],
  ])('[design 3] says at its line what is wrong with %s', (_what, text, sentence, line) => {
    const problem = checkApplicationText(text).find((one) => sentence.test(one.sentence));
    expect(problem?.sentence).toMatch(sentence);
    expect(at(text, problem?.line ?? 0)).toMatch(line);
  });

  it('[design 3] tells the faults of every component, not only the first', () => {
    const components = [
      { name: 'a', type: 'webservice', properties: { image: 'a', port: 'x' } },
      { name: 'b', type: 'worker', properties: { image: 'b' } },
      { name: 'c', type: 'worker', properties: { imago: 'c' } },
    ];
    const text = written({ spec: { components } });
    const problems = checkApplicationText(text);
    expect(problems.map(({ line }) => at(text, line).trim())).toEqual(['port: x', 'properties:', 'imago: c']);
    expect(problems[2]?.sentence).toContain('spec.components[2].properties');
  });

  it('[issue 14.3] tells what is wrong with a component, each of its traits and each policy, whatever hides it', () => {
    const traits = [
      { type: 'scaler', properties: { replicas: -1 } },
      { type: 'expose', properties: { port: 'x' } },
      { type: 'env', properties: { containerName: 'side', env: {} } },
    ];
    const policies = [
      { name: 'staged', type: 'rollout', properties: { ratio: 101 } },
      { name: 'magic', type: 'magic' },
    ];
    const text = written({ spec: { components: [{ name: 'a', type: 'webservice', properties: { imago: 'a' }, traits }], policies } });
    const marked = checkApplicationText(text).map(({ line }) => at(text, line).trim());
    expect(marked).toEqual(['properties:', 'imago: a', 'replicas: -1', 'port: x', 'ratio: 101', 'type: magic']);
  });

  it('[design 8] never comes back with a value of a Secret', () => {
    const text = written().replace('kind: Secret', 'kind: Secret\n            status: {}');
    expect(JSON.stringify(checkApplicationText(text))).not.toContain(CANARY);
  });
});

describe('the schema of an application', () => {
  interface Schema {
    readonly description?: string;
    readonly properties?: Readonly<Record<string, Schema>>;
    readonly oneOf?: readonly Schema[];
    readonly items?: Schema;
    readonly const?: string;
    readonly $defs?: Readonly<Record<string, Schema>>;
  }
  const schema = applicationSchema() as Schema;
  const spec = schema.properties?.spec?.properties;
  const parts = { component: spec?.components?.items?.oneOf, trait: schema.$defs?.trait?.oneOf, policy: spec?.policies?.items?.oneOf };

  it('[design 3] knows every component type, trait and policy that is rendered, and nothing else', () => {
    const types = Object.fromEntries(
      Object.entries(parts).map(([kind, found]) => [kind, found?.map((part) => part.properties?.type?.const)]),
    );
    expect(types).toEqual({
      component: ['webservice', 'worker', 'task', 'cron-task', 'k8s-objects'],
      trait: ['scaler', 'hpa', 'expose', 'gateway', 'labels', 'annotations', 'env', 'resource'],
      policy: ['rollout', 'garbage-collect', 'apply-once', 'take-over', 'read-only'],
    });
    const unknown = (type: string, traits: object[] = []) =>
      checkApplicationText(written({ spec: { components: [{ name: 'x', type, traits }] } }))[0]?.sentence;
    expect(unknown('magic')).toContain(`must be one of ${types.component?.join(', ')},`);
    const [trait] = checkApplicationText(
      written({ spec: { components: [{ name: 'x', type: 'worker', properties: { image: 'x' }, traits: [{ type: 'magic' }] }] } }),
    );
    expect(trait?.sentence).toContain(`must be one of ${types.trait?.join(', ')},`);
  });

  it('[design 3] has a sentence for every part and every property of it', () => {
    const silent = Object.values(parts).flatMap((found) =>
      (found ?? []).flatMap((part) => [
        ...(part.description ? [] : [part.properties?.type?.const]),
        ...Object.entries(part.properties?.properties?.properties ?? {}).flatMap(([name, of]) =>
          of.description ? [] : [`${part.properties?.type?.const}.${name}`],
        ),
      ]),
    );
    expect(silent).toEqual([]);
  });
});

describe('an application that is edited', () => {
  it('[design 1] is read as its author would write it, with the state it is', async () => {
    const annotations = {
      'kubectl.kubernetes.io/last-applied-configuration': CANARY,
      'kapp.k14s.io/original': JSON.stringify({ kind: 'Secret', data: { key: CANARY } }),
      team: 'a',
    };
    const { commands, session } = await createCommandRig({
      objects: [{ ...anApplication({ annotations }), status: { phase: 'running' } }],
    });
    const read = await commands.readApplicationText(session, SHOP);
    expect(read).toMatchObject({ uid: 'app-uid', generation: 2, masked: false });
    expect(read.text).not.toMatch(new RegExp(`status|resourceVersion|${CANARY}`));
    expect(read.text).toContain(MASK);
    expect(read.text).toContain('team: a');
  });

  it('[design 8] takes no mask for an annotation', async () => {
    const { commands, session, cluster } = await createCommandRig();
    const text = JSON.stringify(anApplication({ annotations: { 'kapp.k14s.io/original': MASK } }));
    await expect(commands.applyApplication(session, { manifest: text })).rejects.toThrow('the manifest contains masked values');
    expect(cluster.writes).toEqual([]);
  });

  const front = (image: string) => ({ spec: { components: [{ name: 'front', type: 'webservice', properties: { image } }] } });

  it.each([
    ['changed since', { uid: 'app-uid', generation: 1 }, 'was changed by someone else'],
    ['created again since', { uid: 'another', generation: 2 }, 'was changed by someone else'],
    ['made where none was seen', 'absent' as const, 'Application web in shop already exists'],
  ])('[design 1] is not replaced when it was %s', async (_what, seen, sentence) => {
    const { commands, session, cluster } = await createCommandRig();
    const manifest = written(front('web:9'));
    for (const dryRun of [true, false]) {
      await expect(commands.applyApplication(session, { manifest, seen, dryRun })).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining(sentence),
      });
    }
    expect(cluster.writes).toEqual([]);
  });

  it('[design 1] is replaced on the very state that was seen, and is not made again after it was deleted', async () => {
    const seen = { uid: 'app-uid', generation: 2 };
    const first = await createCommandRig();
    await first.commands.applyApplication(first.session, { manifest: written(front('web:9')), seen });
    expect(first.cluster.writes).toHaveLength(2);
    const gone = await createCommandRig({ objects: [] });
    await expect(gone.commands.applyApplication(gone.session, { manifest: written(front('web:9')), seen })).rejects.toMatchObject({
      code: 'conflict',
    });
  });
});

describe('what saving would do', () => {
  const deployment = (image: string): KubeObject => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: 'front',
      namespace: 'shop',
      uid: 'front-uid',
      labels: { 'app.oam.dev/name': 'web', 'app.oam.dev/namespace': 'shop' },
    },
    spec: { replicas: 3, template: { spec: { containers: [{ name: 'front', image }] } } },
  });

  it('[design 8] says what the API server refuses, object by object, and writes nothing', async () => {
    let asked = 0;
    const refuse = () =>
      asked++ === 0 ? undefined : new KubeApiError({ code: 422, reason: 'Invalid', message: 'the port is out of range' });
    const { commands, session, cluster } = await createCommandRig({ objects: [anApplication()], refuse });
    const answer = await commands.applyApplication(session, { manifest: written(), dryRun: true });
    expect(answer).toMatchObject({
      counts: { refused: 2 },
      changes: [{ verdict: 'refused', why: expect.stringContaining('the port is out of range') }, { verdict: 'refused' }],
    });
    expect(cluster.writes.every(({ dryRun }) => dryRun)).toBe(true);
  });

  it('[design 8] leaves what belongs to another application alone, and says whose it is', async () => {
    const foreign = { ...deployment('other:1'), metadata: { name: 'front', namespace: 'shop', uid: 'x' } };
    const { commands, session } = await createCommandRig({ objects: [anApplication(), foreign] });
    const answer = await commands.applyApplication(session, { manifest: written(), dryRun: true });
    expect(answer).toMatchObject({
      changes: [
        { id: 'Deployment.apps/shop/front', verdict: 'refused', why: expect.stringContaining('belongs to no application') },
        { verdict: 'new' },
      ],
    });
  });

  it('[design 1] shows how an object would differ even where the API server cannot try it', async () => {
    let asked = 0;
    const refuse = () =>
      asked++ === 0 ? undefined : new KubeApiError({ code: 400, reason: 'BadRequest', message: 'a webhook does not support dry run' });
    const { commands, session } = await createCommandRig({ objects: [anApplication(), deployment('web:0')], refuse });
    const answer = await commands.applyApplication(session, { manifest: written(), dryRun: true });
    if (!('changes' in answer)) throw new Error('a dry run answers changes');
    const changed = answer.changes.find(({ verdict }) => verdict === 'changed');
    expect(changed).toMatchObject({ name: 'front', uid: 'front-uid', why: expect.stringContaining('no dry run was made') });
    expect(changed?.diff?.map(({ sign, text }) => sign + text.trim())).toEqual(
      expect.arrayContaining(['-- image: web:0', '+- image: web:1']),
    );
  });
});

describe('two revisions side by side', () => {
  it('[design 9] tells what is new, changed, handed over and deleted, without the values of Secrets', async () => {
    const first = aRevision('web-v1', 'web:1');
    const second = JSON.parse(JSON.stringify(aRevision('web-v2', 'web:2')).replaceAll(CANARY, `${CANARY}-2`)) as KubeObject;
    const { commands, session } = await createCommandRig({ objects: [anApplication(), first, second] });
    const page = await commands.compareRevisions(session, SHOP, { from: 'v1', to: 'web-v2' });
    expect(page).toMatchObject({ from: 'web-v1', to: 'web-v2', total: 2, counts: { changed: 2 } });
    expect(page.rows.map(({ id, verdict }) => `${verdict} ${id}`)).toEqual([
      'changed Deployment.apps/shop/front',
      'changed Secret/shop/key',
    ]);
    expect(page.rows[0]?.diff?.map(({ sign, text }) => sign + text.trim())).toEqual(
      expect.arrayContaining(['-- image: web:1', '+- image: web:2']),
    );
    expect(page.rows[1]?.diff?.map(({ sign, text }) => sign + text.trim())).toEqual(
      expect.arrayContaining([`-key: ${MASK}`, `+key: ${MASK} (another value)`]),
    );
    expect(JSON.stringify(page)).not.toContain(CANARY);
    const back = await commands.compareRevisions(session, SHOP, { from: 'v2', to: 'v2' });
    expect(back.counts).toEqual({ kept: 2 });
  });

  it('[design 9] gives one page of what is asked for', async () => {
    const objects = Array.from({ length: 120 }, (_, at) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `c-${String(at).padStart(3, '0')}` },
    }));
    const many = (name: string, wanted: readonly object[]): KubeObject => {
      const revision = aRevision(name, 'web:1');
      return {
        ...revision,
        spec: { application: { spec: { components: [{ name: 'all', type: 'k8s-objects', properties: { objects: wanted } }] } } },
      };
    };
    const { commands, session } = await createCommandRig({
      objects: [anApplication(), many('web-v1', objects), many('web-v2', objects.slice(0, 60))],
    });
    const page = await commands.compareRevisions(session, SHOP, { from: 'v1', to: 'v2', verdict: 'deleted', page: 1 });
    expect(page).toMatchObject({ total: 60, counts: { deleted: 60, 'handed-over': 60 }, kinds: [{ kind: 'ConfigMap', count: 120 }] });
    expect(page.rows.map(({ name }) => name)).toEqual(objects.slice(110).map(({ metadata }) => metadata.name));
  });

  it('[design 9] names what is no revision of the application', async () => {
    const { commands, session } = await createCommandRig();
    await expect(commands.compareRevisions(session, SHOP, { from: 'v1', to: 'v2' })).rejects.toThrow(
      'there is no ApplicationRevision web-v1 in shop',
    );
    const { session: other, commands: others } = await createCommandRig({ objects: [anApplication(), aRevision('cart-v1', 'x')] });
    await expect(others.compareRevisions(other, SHOP, { from: 'cart-v1', to: 'v2' })).rejects.toThrow(
      '"cart-v1" is not a revision of Application web in shop',
    );
  });
});
