import type { ChangeRow, SavePreview } from '@/lib/contract/change-rows';
import { KINDS, PLAN } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { Who } from './people';
import type { PreviewWorld } from './preview-world';
import type { Dice, Ground } from './random-application';
import { randomApplication } from './random-application';

const SETTLE_MS = 12_000;

/** A change that somebody saw, at the moment when something else happens. */
export interface Moment {
  readonly world: PreviewWorld;
  readonly dice: Dice;
  readonly ground: Ground;
  readonly who: Who;
  /** Everything that was shown, before it was masked. */
  readonly whole: SavePreview;
}

/** Makes something happen; answers whether anything did. */
type Trouble = (moment: Moment) => Promise<boolean>;

/** Between the preview and the act that rests on it. */
export const BEFORE = {
  nothing: async () => false,
  status: (moment) =>
    edit(
      moment,
      [...rows(moment, 'changed'), ...rows(moment, 'handed-over')].find(({ kind }) => kind === 'Thing'),
      () => ({ status: { seen: true } }),
    ),
  labelled: (moment) =>
    edit(moment, [...rows(moment, 'changed'), ...rows(moment, 'handed-over'), ...rows(moment, 'deleted')][0], ({ metadata }) => ({
      metadata: { ...metadata, labels: { ...metadata.labels, 'other.dev/seen': 'true' } },
    })),
  gone: (moment) => remove(moment, rows(moment, 'deleted').find(isNotPrecious)),
  edited: (moment) =>
    edit(
      moment,
      rows(moment, 'handed-over').find(({ kind }) => kind === 'ConfigMap'),
      () => ({ data: { value: 'by hand' } }),
    ),
  // A claim is not gone before no pod uses it.
  removed: (moment) =>
    remove(
      moment,
      [...rows(moment, 'changed'), ...rows(moment, 'handed-over'), ...rows(moment, 'kept').filter(isRendered)].find(isNotPrecious),
    ),
  stays: (moment) => edit(moment, rows(moment, 'deleted')[0], askToStay),
  made: (moment) => make(moment, newMap(moment), { value: 'theirs' }),
  shared: claimForAnother,
  kubectl: changeByKubectl,
  second: changeBySecondPerson,
} as const satisfies Readonly<Record<string, Trouble>>;

/** Between the act and the engine's first look at it. */
export const AFTER = {
  relabelled: (moment) =>
    note(moment, ({ labels, ...metadata }) => ({ ...metadata, labels: { ...labels, team: moment.dice.pick(['a', 'b']) } })),
  unnoted: (moment) =>
    note(moment, ({ annotations, ...metadata }) => ({
      ...metadata,
      annotations: Object.fromEntries(Object.entries(annotations ?? {}).filter(([key]) => key !== PLAN.seen)),
    })),
  misnoted: (moment) =>
    note(moment, ({ annotations, ...metadata }) => ({
      ...metadata,
      annotations: { ...annotations, [PLAN.seen]: (annotations?.[PLAN.seen] ?? '').replace(/^sha256:[0-9a-f]{8}/, 'sha256:00000000') },
    })),
} as const satisfies Readonly<Record<string, Trouble>>;

/** What the run itself has to go about: when the engines look, by which rights and over which connection. */
export const MEANWHILE = ['restart', 'cut', 'rights', 'refusal', 'again', 'quick', 'foreign'] as const;

export type BeforeName = keyof typeof BEFORE;
export type AfterName = keyof typeof AFTER;
export type TroubleName = BeforeName | AfterName | (typeof MEANWHILE)[number];

/** Everything that can happen; what moves nothing that is written leads nowhere, and what does has to wait for a person. */
export const TROUBLES: readonly TroubleName[] = [
  ...(Object.keys(BEFORE) as BeforeName[]), // the names above
  ...(Object.keys(AFTER) as AfterName[]),
  ...MEANWHILE,
];
/** After these somebody is asked. */
export const MOVES: readonly TroubleName[] = ['edited', 'removed', 'stays', 'made', 'shared', 'misnoted', 'foreign'];
/** After these it depends: the labels of an application are put on its objects, by a revision that is not made yet. */
export const MAY_MOVE: readonly TroubleName[] = ['relabelled'];
/** After these the act itself is refused. */
export const CONFLICTS: readonly TroubleName[] = ['kubectl', 'second'];

export const isBefore = (name: TroubleName): name is BeforeName => name in BEFORE;
export const isAfter = (name: TroubleName): name is AfterName => name in AFTER;

/** What may happen to what is to be deleted at the end, while a rollout is under way. */
export const LATE = ['nothing', 'gone', 'replaced', 'stays', 'restart', 'abort'] as const;
export type LateName = (typeof LATE)[number];

const isNotPrecious = ({ kind }: ChangeRow) => kind !== 'PersistentVolumeClaim';
const isRendered = ({ why }: ChangeRow) => why === 'it is already as written';

function rows({ whole }: Moment, verdict: ChangeRow['verdict']): readonly ChangeRow[] {
  return whole.changes.filter((row) => row.verdict === verdict && row.kind !== 'Deployment');
}

const newMap = (moment: Moment) => rows(moment, 'new').find(({ kind }) => kind === 'ConfigMap');

/** The object with the annotation by which it asks not to be collected. */
function askToStay({ metadata }: KubeObject) {
  return { metadata: { ...metadata, annotations: { ...metadata.annotations, 'app.oam.dev/skipGC': 'true' } } };
}

/** Something that is to be deleted moves while a rollout is under way. Answers its id; undefined where there was nothing to move. */
export async function moveLate(moment: Moment, how: 'gone' | 'replaced' | 'stays'): Promise<string | undefined> {
  const row = rows(moment, 'deleted').find(isNotPrecious);
  if (row === undefined) return undefined;
  if (how === 'stays') return (await edit(moment, row, askToStay)) ? row.id : undefined;
  const live = await moment.world.get(addressOf(row));
  if (live === undefined) return undefined;
  const { metadata, ...rest } = live;
  const theirs = { ...rest, metadata: { name: metadata.name ?? '', namespace: metadata.namespace ?? '' } };
  // At once, since the engine puts back what a rollout still serves.
  if (how === 'replaced') await moment.world.drive(replace(moment, row, theirs));
  else await remove(moment, row);
  return row.id;
}

async function replace({ world: { cluster } }: Moment, row: ChangeRow, theirs: KubeObject): Promise<void> {
  await cluster.delete(addressOf(row));
  await cluster.create(theirs);
}

async function edit({ world }: Moment, row: ChangeRow | undefined, change: (live: KubeObject) => object): Promise<boolean> {
  const live = row && (await world.get(addressOf(row)));
  if (live === undefined) return false;
  await world.drive(world.cluster.update({ ...live, ...change(live) }));
  return true;
}

async function remove({ world }: Moment, row: ChangeRow | undefined): Promise<boolean> {
  if (row === undefined) return false;
  await world.drive(world.cluster.delete(addressOf(row)));
  return true;
}

async function make({ world }: Moment, row: ChangeRow | undefined, data: object): Promise<boolean> {
  if (row === undefined) return false;
  const { apiVersion, kind, ns, name } = row;
  await world.drive(world.cluster.create({ apiVersion, kind, metadata: { name, ...(ns === null ? {} : { namespace: ns }) }, data }));
  return true;
}

/** Changes the application's metadata by kubectl; its spec stays. */
async function note(
  { world, ground: { ns } }: Moment,
  change: (metadata: KubeObject['metadata']) => KubeObject['metadata'],
): Promise<boolean> {
  const held = await world.application(ns);
  if (held?.metadata.annotations?.[PLAN.seen] === undefined) return false;
  await world.drive(world.cluster.as({ user: 'root', groups: [] }).update({ ...held, metadata: change(held.metadata) }));
  return true;
}

/** Another application has what this one was to make. */
async function claimForAnother(moment: Moment): Promise<boolean> {
  const { world, ground } = moment;
  const row = newMap(moment);
  if (row === undefined || row.ns !== ground.ns) return false;
  const object = { apiVersion: row.apiVersion, kind: row.kind, metadata: { name: row.name }, data: { value: 'theirs' } };
  const components = [{ name: 'set', type: 'k8s-objects', properties: { objects: [object] } }];
  await world.drive(
    world.cluster.create({ ...KINDS.application, metadata: { name: `rival-${row.name}`, namespace: ground.ns }, spec: { components } }),
  );
  await world.startEngines();
  await world.clock.advance(SETTLE_MS);
  await world.stopEngines();
  return (await world.get(addressOf(row))) !== undefined;
}

async function changeByKubectl({ world, dice, ground }: Moment): Promise<boolean> {
  const theirs = randomApplication(dice, ground);
  const held = await world.application(ground.ns);
  if (held === undefined) return false;
  const after = await world.drive(world.cluster.as({ user: 'root', groups: [] }).update({ ...held, spec: theirs.spec }));
  return after.metadata.generation !== held.metadata.generation;
}

async function changeBySecondPerson({ world, dice, ground }: Moment): Promise<boolean> {
  const theirs = randomApplication(dice, ground);
  const held = await world.application(ground.ns);
  const shown = await world.dryRun('root', theirs);
  if (shown === undefined) return false;
  await world.drive(world.commands.applyApplication(world.session('root'), { manifest: JSON.stringify(theirs), plan: shown.plan }));
  const after = await world.application(ground.ns);
  return after?.metadata.generation !== held?.metadata.generation;
}

function addressOf({ apiVersion, kind, ns, name }: ChangeRow) {
  return { apiVersion, kind, name, ...(ns === null ? {} : { namespace: ns }) };
}
