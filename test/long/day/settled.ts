import { heldCollection, toHeldDecision } from '@/components/applications/changes/held-decision';
import type { ApplicationDetail } from '@/lib/contract/application-rows';
import { waitingPage } from '@/lib/contract/change-rows';
import type { ActionView, RolloutDetail } from '@/lib/contract/rollout-rows';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { aStorefront } from '../../support/applications';
import type { Dice } from '../../support/preview/random-application';
import type { DayServer } from './day-server';

export const NS = 'shop';

/** How much somebody is inclined to decide so, where the page offers it. */
const INCLINED: Readonly<Partial<Record<ActionView['verb'], number>>> = {
  approve: 6,
  advance: 1,
  'promote-full': 1,
  abort: 2,
  pause: 1,
  resume: 4,
  retry: 2,
  rollback: 1,
};
const LOOKS = 80;
const LOOK_EVERY_MS = 15_000;

/** Applications that are there all day: one without a rollout whose objects are left as somebody makes them, the others in stages with a gate after each. */
export const SETTLED = ['ledger', 'front', 'basket', 'search', 'mail'] as const;
export type Settled = (typeof SETTLED)[number];
const PLAIN: Settled = 'ledger';
/** So few that an hour makes them all. */
const FEW = { name: 'few', type: 'garbage-collect', properties: { applicationRevisionLimit: 3 } };

/** One of them as somebody writes it anew. */
export function settledAs(name: Settled, dice: Dice): KubeObject {
  const configMaps = [`${name}-one`, `${name}-two`];
  const content = `as of ${dice.pick(['spring', 'summer', 'autumn', 'winter'])}`;
  const image = `registry.example.com/${name}:${dice.pick([1, 2, 3, 4, 5, 6, 7, 8, 9])}`;
  const written = aStorefront({ name, image, replicas: 4, gates: 'every-stage', configMaps, content });
  const { components, policies } = written.spec as { readonly components: readonly object[]; readonly policies: readonly object[] };
  const own = name === PLAIN ? [{ name: 'once', type: 'apply-once', properties: { enable: true } }] : policies;
  const spec = { components, policies: [...own, FEW] };
  return { ...written, metadata: { name, namespace: NS }, spec };
}

/** The application is changed as a pipeline does it, which asks nobody. */
export async function push({ kubectl }: DayServer, name: Settled, dice: Dice): Promise<void> {
  const { spec } = settledAs(name, dice);
  await kubectl((cluster) => cluster.patch({ ...KINDS.application, namespace: NS, name }, { type: 'merge', body: { spec } }));
}

/** The application is changed as a person does in the editor, who looks at what it would come to. */
export async function change({ owner }: DayServer, name: Settled, dice: Dice): Promise<number> {
  const manifest = JSON.stringify(settledAs(name, dice));
  await owner.post('/api/v1/applications/check', { manifest: dice.chance(0.5) ? manifest.slice(0, 200) : manifest });
  const preview = await owner.post('/api/v1/applications', { manifest, dryRun: true });
  const { plan } = preview.body as { readonly plan?: string };
  return (await owner.post('/api/v1/applications', { manifest, ...(plan !== undefined && dice.chance(0.5) ? { plan } : {}) })).status;
}

/** One decision that the page of the rollout offers now; the verb, or undefined where it offers none. */
export async function decide({ owner }: DayServer, name: Settled, dice: Dice): Promise<string | undefined> {
  const row = await owner.row<RolloutDetail>(`rollout/${NS}/${name}`);
  const offered = row?.actions.filter(({ allowed, verb }) => allowed && INCLINED[verb] !== undefined) ?? [];
  if (row === undefined || offered.length === 0) return undefined;
  return act(row, dice.pick(offered.flatMap((action) => Array<ActionView>(INCLINED[action.verb] ?? 0).fill(action))));

  async function act({ uid }: RolloutDetail, { verb, stage, revision, seen }: ActionView): Promise<string> {
    const said = {
      verb,
      uid,
      seen,
      reason: 'so it is decided',
      ...(stage === null ? {} : { stage }),
      ...(revision === null ? {} : { revision }),
    };
    const { status } = await owner.post(`/api/v1/namespaces/${NS}/rollouts/${name}/decisions`, said);
    return `${verb} ${status}`;
  }
}

/** Brings a rollout to its end: what was sent back is written anew, and what waits for somebody goes on. */
export async function complete(server: DayServer, name: Settled, dice: Dice): Promise<void> {
  const { day, owner } = server;
  const onward: readonly string[] = ['resume', 'approve'];
  for (let look = 0; look < LOOKS; look++) {
    const row = await day.during(owner.row<RolloutDetail>(`rollout/${NS}/${name}`));
    if (row === undefined || isOver(row)) return;
    if (row.abort !== null) await day.during(push(server, name, dice));
    const action = row.actions.find(({ allowed, verb }) => allowed && onward.includes(verb));
    if (row.abort === null && action !== undefined) {
      const { verb, stage, revision, seen } = action;
      const said = { verb, uid: row.uid, seen, ...(stage === null ? {} : { stage }), ...(revision === null ? {} : { revision }) };
      await day.during(owner.post(`/api/v1/namespaces/${NS}/rollouts/${name}/decisions`, said));
    }
    await day.pass(LOOK_EVERY_MS);
  }
  throw new Error(`the rollout ${name} did not come to its end in ${(LOOKS * LOOK_EVERY_MS) / 60_000} minutes`);
}

/** Approves what is held of a collection: what many changes have left is more than half of an application, and waits for somebody. */
export async function collect({ day, owner }: DayServer, name: Settled): Promise<void> {
  const at = `/api/v1/namespaces/${NS}/applications/${name}`;
  for (let look = 0; look < LOOKS; look++) {
    const row = await day.during(owner.row<ApplicationDetail>(`application/${NS}/${name}`));
    if (row === undefined || heldCollection(row) === null) return;
    const { digest, decision } = waitingPage.parse((await day.during(owner.get(`${at}/preview`))).body);
    await day.during(owner.post(`${at}/decisions`, toHeldDecision(row.uid, { digest, decision }, 'what many changes have left')));
    await day.pass(LOOK_EVERY_MS);
  }
  throw new Error(`what is held of ${name} was not collected in ${(LOOKS * LOOK_EVERY_MS) / 60_000} minutes`);
}

const isOver = ({ phase, abort, attempts }: RolloutDetail) => phase === 'Healthy' && abort === null && attempts[0]?.outcome === 'completed';
