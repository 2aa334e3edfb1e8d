import type { ChangeRow, SavePreview } from '@/lib/contract/change-rows';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { Random } from '@/server/platform';
import { createRandom } from '@/server/platform';
import type { Contents, PreviewWorld, Who } from './preview-world';
import { THING } from './preview-world';

const SETTLE_MS = 12_000;
const ROLLOUT_MS = 180_000;
const TURNS = 2;

/** What happens between the preview of a change and its execution. */
export const TROUBLES = ['none', 'status', 'gone', 'edited', 'removed', 'stays', 'made', 'kubectl', 'second', 'restart'] as const;
export type Trouble = (typeof TROUBLES)[number];
/** What nobody would write may move as it likes: it holds no change. */
const HARMLESS: readonly Trouble[] = ['none', 'status', 'gone', 'restart'];

/** What so many runs came to. */
export interface Tally {
  runs: number;
  changes: number;
  executed: number;
  moved: number;
  conflicts: number;
  refused: number;
  objects: number;
  deleted: number;
  masked: number;
}

/** No runs yet. */
export function emptyTally(): Tally {
  return { runs: 0, changes: 0, executed: 0, moved: 0, conflicts: 0, refused: 0, objects: 0, deleted: 0, masked: 0 };
}

const KIND_OF: Readonly<Record<string, { readonly apiVersion: string; readonly kind: string }>> = {
  a: { apiVersion: 'v1', kind: 'ConfigMap' },
  b: { apiVersion: 'v1', kind: 'ConfigMap' },
  c: { apiVersion: 'v1', kind: 'ConfigMap' },
  d: { apiVersion: 'v1', kind: 'Secret' },
  e: { apiVersion: 'v1', kind: 'Service' },
  f: THING,
  g: { apiVersion: 'v1', kind: 'PersistentVolumeClaim' },
  h: { apiVersion: 'v1', kind: 'ConfigMap' },
};

/** One run: an application that is changed a few times in a namespace of its own. Answers sentences about what was not as previewed. */
export async function livePreviewRun(world: PreviewWorld, seed: number, tally: Tally): Promise<readonly string[]> {
  const run = new PreviewRun(world, seed, tally);
  return run.live();
}

class PreviewRun {
  readonly #world: PreviewWorld;
  readonly #random: Random;
  readonly #tally: Tally;
  readonly #ns: string;
  readonly #other: string;
  readonly #broken: string[] = [];
  #turn = 0;

  constructor(world: PreviewWorld, seed: number, tally: Tally) {
    this.#world = world;
    this.#random = createRandom(seed);
    this.#tally = tally;
    this.#ns = `run-${seed}`;
    this.#other = `run-${seed}-other`;
  }

  async live(): Promise<readonly string[]> {
    const { cluster } = this.#world;
    for (const name of [this.#ns, this.#other]) await this.#world.drive(cluster.create({ ...KINDS.namespace, metadata: { name } }));
    for (this.#turn = 0; this.#turn < TURNS; this.#turn++) await this.#change();
    this.#tally.runs += 1;
    await this.#cleanUp();
    return this.#broken;
  }

  #pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.#random() * list.length)] as T; // an index of the list
  }

  #chance(share: number): boolean {
    return this.#random() < share;
  }

  #blame(sentence: string): void {
    this.#broken.push(`${this.#ns}, change ${this.#turn + 1}: ${sentence}`);
  }

  #manifestOf(name: string, value: string): KubeObject {
    const metadata = { name, ...(name === 'h' ? { namespace: this.#other } : {}) };
    const type = KIND_OF[name] ?? THING;
    switch (type.kind) {
      case 'Secret':
        return { ...type, metadata, data: { token: Buffer.from(value).toString('base64') } };
      case 'Service':
        return { ...type, metadata, spec: { selector: { app: value }, ports: [{ port: 80 }] } };
      case 'Thing':
        return { ...type, metadata, spec: { value } };
      case 'PersistentVolumeClaim':
        return { ...type, metadata, spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'manual', resources: { requests: { storage: '1Gi' } } } };
      default:
        return { ...type, metadata, data: { value } };
    }
  }

  /** An application as somebody might write it. */
  #application(): KubeObject {
    const names = Object.keys(KIND_OF).filter(() => this.#chance(0.55));
    const objects = (names.length === 0 ? ['a'] : names).map((name) => this.#manifestOf(name, this.#pick(['1', '2', '3'])));
    const hasWeb = this.#chance(this.#world.isAlive ? 0.7 : 0.3);
    const isStaged = this.#world.isAlive && hasWeb && this.#chance(0.6);
    const web = {
      name: 'web',
      type: 'webservice',
      properties: { image: `web:${this.#pick(['1', '2', '3'])}` },
      traits: [{ type: 'scaler', properties: { replicas: 1 } }],
    };
    const policies = [
      ...(isStaged ? [{ type: 'rollout', properties: { component: 'web', ratio: 100, control: { scaleDownDelaySeconds: 0 } } }] : []),
      ...(this.#chance(0.1) ? [{ type: 'garbage-collect', properties: { keepLegacyResource: true } }] : []),
      ...(this.#chance(0.1) ? [{ type: 'garbage-collect', properties: { rules: [{ selector: { resourceNames: ['b'] }, strategy: 'never' }] } }] : []),
    ].filter((policy, at, all) => all.findIndex(({ type }) => type === policy.type) === at);
    const components = [{ name: 'set', type: 'k8s-objects', properties: { objects } }, ...(hasWeb ? [web] : [])];
    return { ...KINDS.application, metadata: { name: 'web', namespace: this.#ns }, spec: { components, ...(policies.length > 0 ? { policies } : {}) } };
  }

  async #change(): Promise<void> {
    const world = this.#world;
    this.#tally.changes += 1;
    const who = this.#pick<Who>(['root', 'author']);
    const trouble = this.#pick(TROUBLES);
    await world.stopEngines();
    const next = this.#application();
    const held = await world.application(this.#ns);
    const shown = await world.dryRun(who, next);
    if (shown === undefined) {
      this.#tally.refused += 1;
      return;
    }
    const whole = this.#whole(shown);
    const moved = await this.#disturb(trouble, whole);
    const before = await this.#contents();
    const applied = await this.#apply(who, next, held, shown);
    if (applied === 'conflict') {
      this.#tally.conflicts += 1;
      if (trouble !== 'second' && trouble !== 'kubectl') this.#blame(`a conflict although nobody else changed it (${trouble})`);
      return;
    }
    if (trouble === 'second' && moved) this.#blame('a second change went through as if there had been none before it');
    await this.#judge({ whole, before, trouble, moved });
  }

  /** What was shown as it was before it was masked; nothing may be missing from the count. */
  #whole(shown: SavePreview): SavePreview {
    const kept = this.#world.previews.get(shown.plan)?.preview;
    if (kept === undefined) throw new Error('a preview that was shown is kept');
    if (JSON.stringify(kept.counts) !== JSON.stringify(shown.counts) || kept.changes.length !== shown.changes.length)
      this.#blame('something is left out of the count');
    const hidden = shown.changes.filter(({ masked }) => masked);
    this.#tally.masked += hidden.length;
    if (hidden.some(({ diff, uid, name }) => diff !== null || uid !== null || /^[a-h]$/.test(name))) this.#blame('a masked row tells what it hides');
    return kept;
  }

  async #apply(who: Who, next: KubeObject, held: KubeObject | undefined, shown: SavePreview): Promise<'applied' | 'conflict'> {
    const { commands } = this.#world;
    const { uid = '', generation = 1 } = held?.metadata ?? {};
    const seen = held === undefined ? ('absent' as const) : { uid, generation };
    try {
      await this.#world.drive(commands.applyApplication(this.#world.session(who), { manifest: JSON.stringify(next), seen, plan: shown.plan }));
      return 'applied';
    } catch (error) {
      if ((error as { code?: string }).code !== 'conflict') throw error;
      return 'conflict';
    }
  }

  /** Something moves between preview and execution. Answers whether anything did. */
  async #disturb(trouble: Trouble, { changes }: SavePreview): Promise<boolean> {
    const rows = (verdict: ChangeRow['verdict']) => changes.filter((row) => row.verdict === verdict && row.kind !== 'Deployment');
    switch (trouble) {
      case 'status':
        return this.#edit(
          [...rows('changed'), ...rows('handed-over')].find(({ kind }) => kind === 'Thing'),
          () => ({ status: { seen: true } }),
        );
      case 'gone':
        return this.#remove(rows('deleted').find(({ kind }) => kind !== 'PersistentVolumeClaim'));
      case 'removed':
        return this.#remove([...rows('changed'), ...rows('handed-over'), ...rows('kept').filter((row) => this.#isRendered(row, changes))][0]);
      case 'edited':
        return this.#edit(
          rows('handed-over').find(({ kind }) => kind === 'ConfigMap'),
          () => ({ data: { value: 'by hand' } }),
        );
      case 'stays':
        return this.#edit(rows('deleted')[0], ({ metadata }) => ({
          metadata: { ...metadata, annotations: { ...metadata.annotations, 'app.oam.dev/skipGC': 'true' } },
        }));
      case 'made':
        return this.#make(rows('new').find(({ kind }) => kind === 'ConfigMap'));
      case 'kubectl':
      case 'second':
        return this.#changeFirst(trouble);
      default:
        return false;
    }
  }

  #isRendered(row: ChangeRow, changes: readonly ChangeRow[]): boolean {
    return changes.includes(row) && row.why === 'it is as written already';
  }

  async #edit(row: ChangeRow | undefined, change: (live: KubeObject) => object): Promise<boolean> {
    const live = row && (await this.#world.get(addressOf(row)));
    if (live === undefined) return false;
    await this.#world.drive(this.#world.cluster.update({ ...live, ...change(live) }));
    return true;
  }

  async #remove(row: ChangeRow | undefined): Promise<boolean> {
    if (row === undefined) return false;
    await this.#world.drive(this.#world.cluster.delete(addressOf(row)));
    return true;
  }

  async #make(row: ChangeRow | undefined): Promise<boolean> {
    if (row === undefined) return false;
    const { apiVersion, kind, ns, name } = row;
    await this.#world.drive(
      this.#world.cluster.create({ apiVersion, kind, metadata: { name, ...(ns === null ? {} : { namespace: ns }) }, data: { value: 'theirs' } }),
    );
    return true;
  }

  /** Somebody else changes the application first, by kubectl or by the console. */
  async #changeFirst(how: 'kubectl' | 'second'): Promise<boolean> {
    const world = this.#world;
    const held = await world.application(this.#ns);
    const theirs = this.#application();
    if (how === 'second') {
      const shown = await world.dryRun('root', theirs);
      if (shown === undefined) return false;
      await world.drive(world.commands.applyApplication(world.session('root'), { manifest: JSON.stringify(theirs), plan: shown.plan }));
      const after = await world.application(this.#ns);
      return after?.metadata.generation !== held?.metadata.generation;
    }
    if (held === undefined) return false;
    await world.drive(world.cluster.as({ user: 'root', groups: [] }).update({ ...held, spec: theirs.spec }));
    return true;
  }

  #contents(): Promise<Contents> {
    return this.#world.contents([this.#ns, this.#other]);
  }

  async #judge({
    whole,
    before,
    trouble,
    moved,
  }: {
    readonly whole: SavePreview;
    readonly before: Contents;
    readonly trouble: Trouble;
    readonly moved: boolean;
  }) {
    const world = this.#world;
    await world.startEngines();
    if (trouble === 'restart') {
      await world.clock.advance(1);
      await world.stopEngines();
      await world.startEngines();
    }
    await world.clock.advance(SETTLE_MS);
    if (!(await world.isMoved(this.#ns))) {
      if (moved && !HARMLESS.includes(trouble)) this.#blame(`${trouble} moved and nobody was asked`);
      else await this.#judgeDone(whole, before);
      return;
    }
    this.#tally.moved += 1;
    if (!moved || HARMLESS.includes(trouble)) this.#blame(`it waits although nothing that counts has moved (${trouble}${moved ? '' : ', nothing'})`);
    for (const sentence of differences(before, await this.#contents())) this.#blame(`it waits, and yet ${sentence}`);
    const now = await this.#accept();
    if (now !== undefined) await this.#judgeDone(now, before);
  }

  /** Accepts what the change would do now, and lets it be done. */
  async #accept(): Promise<SavePreview | undefined> {
    const world = this.#world;
    const place = { ns: this.#ns, name: 'web' };
    const { seen, now } = await world.drive(world.commands.readMovedPlan(world.session('root'), place));
    if (seen.preview === null) this.#blame('what was seen is not shown beside what would be done now');
    if (seen.plan === now.plan) this.#blame('it waits although both plans are the same');
    const { uid = '', generation = 0 } = (await world.application(this.#ns))?.metadata ?? {};
    await world.drive(world.commands.acceptPlan(world.session('root'), place, { uid, generation, plan: now.plan }));
    await world.clock.advance(SETTLE_MS);
    if (!(await world.isMoved(this.#ns))) return now;
    this.#blame('it still waits once it was accepted');
    return undefined;
  }

  async #judgeDone(plan: SavePreview, before: Contents): Promise<void> {
    this.#tally.executed += 1;
    this.#tally.objects += plan.changes.length;
    if (plan.changes.some(({ kind, name }) => kind === 'Deployment' && name.startsWith('web-v'))) await this.#world.clock.advance(ROLLOUT_MS);
    const after = await this.#contents();
    const isRefused = plan.changes.length === 0 || plan.changes.some(({ verdict }) => verdict === 'refused');
    const rows = new Map(plan.changes.map((row) => [row.id, row]));
    for (const id of new Set([...before.keys(), ...after.keys()])) {
      const sentence = explain(rows.get(id), before.get(id), after.get(id), { isRefused, isHeld: plan.refused !== null });
      if (sentence !== undefined) this.#blame(`${id} ${sentence}`);
    }
    this.#tally.deleted += [...before.keys()].filter((id) => !after.has(id)).length;
  }

  /** Takes everything of the run away, so that the next ones do not carry it along. */
  async #cleanUp(): Promise<void> {
    const world = this.#world;
    await world.stopEngines();
    const held = await world.application(this.#ns);
    if (held !== undefined) await world.drive(world.cluster.update({ ...held, metadata: { ...held.metadata, finalizers: [] } }));
    await world.clear([this.#ns, this.#other]);
    for (const name of [this.#ns, this.#other]) await world.drive(world.cluster.delete({ ...KINDS.namespace, name }));
  }
}

type Held = { readonly uid: string; readonly content: string } | undefined;

const isSame = (was: Held, is: Held) => was?.uid === is?.uid && was?.content === is?.content;

/** What is wrong with an object of a verdict; undefined where it is as the verdict says. */
const WRONG: Readonly<Partial<Record<ChangeRow['verdict'], (was: Held, is: Held) => string | undefined>>> = {
  new: (was, is) => (is !== undefined && was === undefined ? undefined : 'was to be made'),
  changed: (was, is) => (is !== undefined && is.uid === was?.uid && is.content !== was.content ? undefined : 'was to be changed'),
  deleted: (was, is) => (is === undefined || is.uid !== was?.uid ? undefined : 'was to go and is there'),
  gone: (_was, is) => (is === undefined ? undefined : 'was gone and is there'),
};

/** Why one object is not what its row said would become of it; undefined when it is. */
function explain(row: ChangeRow | undefined, was: Held, is: Held, { isRefused, isHeld }: { readonly isRefused: boolean; readonly isHeld: boolean }) {
  if (isRefused || row === undefined) return isSame(was, is) ? undefined : `was touched, which the plan does not say (${row?.verdict ?? 'not listed'})`;
  if (row.verdict === 'deleted' && isHeld) return is?.uid === was?.uid ? undefined : 'was to wait for a decision and went';
  const wrong = WRONG[row.verdict];
  if (wrong !== undefined) return wrong(was, is);
  // A deployment that stays is moved on by its controllers.
  const stayed = row.kind === 'Deployment' ? is?.uid === was?.uid : isSame(was, is);
  return stayed ? undefined : `was ${row.verdict} and was touched`;
}

function differences(before: Contents, after: Contents): readonly string[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((id) => {
    const [was, is] = [before.get(id), after.get(id)];
    return was?.uid === is?.uid && was?.content === is?.content ? [] : [`${id} was touched`];
  });
}

function addressOf({ apiVersion, kind, ns, name }: ChangeRow) {
  return { apiVersion, kind, name, ...(ns === null ? {} : { namespace: ns }) };
}
