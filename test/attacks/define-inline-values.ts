import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { AppError } from '@/lib/contract/app-error';
import { readField, readFields, readString } from '@/lib/kube/fields';
import { KINDS, SECRET } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { createChangePlanner } from '@/server/application';
import type { Session } from '@/server/auth';
import type { Commands } from '@/server/commands';
import { createCommands } from '@/server/commands';
import type { CommandDeps } from '@/server/commands/command-deps';
import { answerText } from '@/server/commands/editor/answer-text';
import { createTextReader } from '@/server/commands/editor/text-reader';
import type { Person } from '@/server/kube';
import { createAccessReviewer } from '@/server/kube';
import { realClock, systemIds } from '@/server/platform';
import { applied, configMap, peopleOf, startPermissionHouse } from '../house/permission-start';
import type { ClusterKind, House } from '../support/house';

const CANARY = 'canary-5e11ed';
const ENCODED = Buffer.from(CANARY).toString('base64');
const tells = (value: unknown) => new RegExp(`${CANARY}|${ENCODED}`).test(JSON.stringify(value) ?? '');
const set = (...objects: readonly object[]) => ({ name: 'set', type: 'k8s-objects', properties: { objects } });
const secret = (stringData: object = { password: CANARY }) => ({ ...SECRET, metadata: { name: 'db' }, stringData });
const job = (value: unknown = CANARY) => ({
  name: 'job',
  type: 'worker',
  properties: { image: 'job:1', env: [{ name: 'TOKEN', sensitive: true, value }] },
});
const anApplication = ({ ns }: House, components: readonly object[]): KubeObject => ({
  ...KINDS.application,
  metadata: { name: 'web', namespace: ns },
  spec: { components },
});
/** A component that holds applications in each other, so many levels deep, with some components in the innermost. */
const within = (house: House, levels: number, components: readonly object[]): object =>
  set(anApplication(house, levels === 1 ? components : [within(house, levels - 1, components)]));
const at = ({ ns }: House) => ({ ns, name: 'web' });
const sessionOf = (person: Person) => ({ id: person.user, user: person.user, groups: person.groups, person }) as unknown as Session; // commands read no more of it

interface Console {
  readonly commands: Commands;
  /** What was kept of previews, and everything that was put on record. */
  readonly kept: unknown[];
}

/** The console's commands over a running house; rights are those that its API server tells. */
function openConsole({ cluster, informers }: House): Console & Disposable {
  const kept: unknown[] = [];
  const may = createAccessReviewer(cluster, realClock);
  const planner = createChangePlanner({ cluster, informers, clock: realClock });
  const deps = {
    cluster,
    planner,
    clock: realClock,
    ids: systemIds,
    texts: createTextReader(async (_owner, task) => ({ kind: 'answered', answer: answerText(task) })),
    auth: {
      authorise: async ({ person }: Session, act: { readonly kind: string; readonly right?: Parameters<typeof may>[1] }) => {
        if (act.right !== undefined && !(await may(person as Person, act.right))) throw new AppError('forbidden', 'not permitted');
      },
    },
    previews: { keep: async (preview: unknown) => void kept.push(preview), read: async () => undefined },
    record: async (entry: unknown) => void kept.push(entry),
    requireRecord: async () => undefined,
    installation: { decisionsBlockedReason: () => null, stateOf: () => ({ why: null }), dropped: () => null },
  };
  return { commands: createCommands(deps as unknown as CommandDeps), kept, [Symbol.dispose]: () => planner[Symbol.dispose]() }; // these commands use no more
}

/** Where values belong, and a kind that a real cluster makes up for each answer. */
const NO_LISTS: readonly string[] = ['Secret', 'ComponentStatus'];

/** Kinds and names of everything in the cluster that tells the value, Secrets aside. */
async function holders({ cluster, ns }: House): Promise<readonly string[]> {
  const listed = (await cluster.discovery.all()).filter(({ kind, verbs }) => verbs.includes('list') && !NO_LISTS.includes(kind));
  const found = new Set<string>();
  for (const { group, version, kind, namespaced } of listed) {
    const pages = cluster.list({
      apiVersion: group === '' ? version : `${group}/${version}`,
      kind,
      ...(namespaced ? { namespace: ns } : {}),
    });
    for await (const { items } of pages) for (const one of items) if (tells(one)) found.add(`${kind} ${one.metadata.name}`);
  }
  return [...found];
}

const valuesIn = async (house: House) => (await house.list(SECRET)).filter(({ type }) => type === 'slipway.dev/values');

/** What people try to read values by that somebody wrote into an application. */
export function defineInlineValues(clusterKind: ClusterKind): void {
  describe(`values in applications on the ${clusterKind} cluster`, () => {
    it('[issue 10, 1] written through the console are in Secrets alone, applied as previewed, hidden when read back, and kept when that is saved', async () => {
      await using house = await startPermissionHouse(clusterKind);
      using console = openConsole(house);
      const root = sessionOf(peopleOf(house).root);
      const manifest = stringify(anApplication(house, [job(), set(secret())]));
      const preview = await console.commands.applyApplication(root, { manifest, dryRun: true });
      expect(await valuesIn(house)).toEqual([]);
      await console.commands.applyApplication(root, { manifest, plan: 'plan' in preview ? preview.plan : '' });
      await applied(house, 'web-v1');
      expect(await house.get(SECRET, 'db')).toMatchObject({ data: { password: ENCODED } });
      const pod = readField(await house.get(KINDS.deployment, 'job'), 'spec', 'template', 'spec', 'containers', 0, 'env', 0);
      const [name, key] = ['name', 'key'].map((member) => readString(pod, 'valueFrom', 'secretKeyRef', member) ?? '');
      expect(readFields(await house.get(SECRET, name ?? ''), 'data')[key ?? '']).toBe(ENCODED);

      expect(await holders(house)).toEqual([]);
      expect([...house.record.values(), ...console.kept, preview].filter(tells)).toEqual([]);
      const owned = () =>
        valuesIn(house).then((all) => all.length === 2 && all.every(({ metadata }) => metadata.ownerReferences?.[0]?.name === 'web'));
      await house.until('the application owns its values', owned);

      const read = await console.commands.readApplicationText(root, at(house));
      expect([tells(read), read.masked]).toEqual([false, false]);
      expect(read.text).toMatch(/name: TOKEN\n\s+sensitive: true\n\s+value: •+\n/);
      await console.commands.applyApplication(root, { manifest: read.text, seen: { uid: read.uid, generation: read.generation } });
      expect((await house.get(KINDS.application, 'web'))?.metadata.generation).toBe(read.generation);
      const manifestNow = await console.commands.readManifest(root, at(house));
      expect(tells(manifestNow)).toBe(false);
    });

    it('[issue 10, 1] that came past the console are in no revision and nothing else, whoever wrote them is warned, and the page says who can read them', async () => {
      await using house = await startPermissionHouse(clusterKind);
      const warnings: string[] = [];
      const root = house.cluster.as(peopleOf(house).root);
      await house.until('who writes values is warned', async () => {
        await root.create(anApplication(house, [set(secret())]), { dryRun: true, onWarning: (text) => warnings.push(text) });
        return warnings.some((text) => text.includes('whoever may read it reads them'));
      });
      const quiet: string[] = [];
      await root.create(anApplication(house, [set(configMap('plain', { a: '1' }))]), {
        dryRun: true,
        onWarning: (text) => quiet.push(text),
      });
      expect(quiet.filter((text) => text.includes('values'))).toEqual([]);
      const warnedOf = async (component: object) => {
        const said: string[] = [];
        await root.create(anApplication(house, [component]), { dryRun: true, onWarning: (text) => said.push(text) });
        return said.some((text) => text.includes('whoever may read it reads them'));
      };
      // At each level of applications in applications, of which there are five at most.
      for (const levels of [1, 2, 5])
        for (const components of [[set(secret())], [job()], [set({ ...secret({}), data: { password: ENCODED } })]])
          expect([levels, await warnedOf(within(house, levels, components))]).toEqual([levels, true]);
      const refers = { valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } };
      for (const components of [
        [set(secret({ password: refers }))],
        [set(configMap('plain', { a: CANARY }))],
        [{ ...job(), properties: { image: 'job:1' } }],
      ])
        expect(await warnedOf(within(house, 5, components))).toBe(false);
      await root.create(anApplication(house, [job(), set(secret())]));
      await applied(house, 'web-v1');
      expect(await house.get(SECRET, 'db')).toMatchObject({ data: { password: ENCODED } });
      expect(await holders(house)).toEqual(['Application web']);
      const told = async () => (await house.list({ apiVersion: 'v1', kind: 'Event' })).some(({ reason }) => reason === 'InlineValues');
      await house.until('an Event says so', told);
      expect(JSON.stringify((await house.get(KINDS.application, 'web'))?.status)).toContain(
        'everyone who may read the application can read them',
      );
    });

    it('[issue 10, 1] go nowhere else for somebody who may change the application and read no Secret', async () => {
      await using house = await startPermissionHouse(clusterKind);
      using console = openConsole(house);
      const { ann, root } = peopleOf(house);
      await console.commands.applyApplication(sessionOf(root), {
        manifest: stringify(anApplication(house, [set(secret(), configMap('mine', { a: '1' }))])),
      });
      await applied(house, 'web-v1');
      const [kept] = await valuesIn(house);
      const [key = ''] = Object.keys(readFields(kept, 'data'));
      const reference = { valueFrom: { secretKeyRef: { name: kept?.metadata.name ?? '', key } } };
      const tried = [
        [set(secret({ password: reference }), configMap('mine', { a: reference }))],
        [
          set(secret({ password: reference }), {
            ...configMap('mine', { a: '1' }),
            metadata: { name: 'mine', annotations: { a: JSON.stringify(reference) } },
          }),
        ],
        [set(secret({ password: reference }), { ...secret({ stolen: reference }), metadata: { name: 'mine' } })],
        [set({ ...secret({ password: reference }), metadata: { name: 'db', namespace: `${house.ns}-other` } })],
      ];
      for (const components of tried) {
        const { metadata } = await house.cluster
          .as(ann)
          .patch({ ...KINDS.application, namespace: house.ns, name: 'web' }, { type: 'merge', body: { spec: { components } } });
        const judged = async () =>
          readField(await house.get(KINDS.application, 'web'), 'status', 'observedGeneration') === metadata.generation;
        await house.until('the engine has judged it', judged);
        expect(await holders(house)).toEqual([]);
      }
      expect(await house.get(SECRET, 'mine')).toBeUndefined();
      // Ann writes no values either, and is told so before anything is written; what she may change she changes.
      const writing = console.commands.applyApplication(sessionOf(ann), {
        manifest: stringify(anApplication(house, [set(configMap('mine', { a: '2' })), job()])),
      });
      await expect(writing).rejects.toThrow(/may not create (Secrets|Deployment)/);
      expect(await valuesIn(house)).toHaveLength(1);
    });
  });
}
