import type { SavePreview } from '@/lib/contract/change-rows';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { createRandom } from '@/server/platform';
import { rolloutDigest } from '@/server/rollout';
import type { Contents } from './contents';
import { differences, explain, losses } from './explain';
import type { HeldRun } from './held-runs';
import { approveHeld, HELD_LATE } from './held-runs';
import type { Who } from './people';
import type { PreviewWorld } from './preview-world';
import type { Ground } from './random-application';
import { Dice, isRunName, randomApplication } from './random-application';
import type { LateName, Moment, TroubleName } from './troubles';
import { AFTER, BEFORE, CONFLICTS, isAfter, isBefore, LATE, MAY_MOVE, MOVES, moveLate, TROUBLES } from './troubles';

/** Until a pass is through. */
const SETTLE_MS = 3_000;
/** Until what waits was looked at again. */
const WAIT_MS = 12_000;
/** Until a rollout is begun, and until one with gates, and with what it replaced kept for a while, is through. */
const BEGUN_MS = 5_000;
const ROLLOUT_MS = 45 * 60_000;
/** Until what was refused is tried again. */
const REFUSED_MS = 120_000;
/** Until rights that were given back are asked about again. */
const RIGHTS_MS = 30_000;
const TURNS = 2;
const MAX_REQUESTS = 40;

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
  /** How often each trouble met something. */
  readonly met: Record<string, number>;
}

/** No runs yet. */
export function emptyTally(): Tally {
  return { runs: 0, changes: 0, executed: 0, moved: 0, conflicts: 0, refused: 0, objects: 0, deleted: 0, masked: 0, met: {} };
}

/** One run: an application that is changed a few times in a namespace of its own. Answers sentences about what was not as previewed. */
export async function livePreviewRun(world: PreviewWorld, seed: number, tally: Tally): Promise<readonly string[]> {
  const run = new PreviewRun(world, seed, tally);
  return run.live();
}

interface Evaluated {
  readonly moment: Moment;
  readonly before: Contents;
  readonly trouble: TroubleName;
  /** Whether the trouble met anything. */
  readonly met: boolean;
  readonly isFirst: boolean;
}

/** What happened late to what was to go at the end. */
interface Late {
  /** True where all of it has to wait for a person. */
  readonly waits?: boolean;
  /** True where no plan binds it: what is left of it goes within the limits as they are by then, or waits, all of it alike. */
  readonly isUnbound?: boolean;
  /** What somebody took away, replaced, or asked to stay without a plan. */
  readonly taken?: string;
}

class PreviewRun {
  readonly #world: PreviewWorld;
  readonly #dice: Dice;
  readonly #tally: Tally;
  readonly #ground: Ground;
  readonly #broken: string[] = [];
  #turn = 0;

  constructor(world: PreviewWorld, seed: number, tally: Tally) {
    this.#world = world;
    this.#dice = new Dice(createRandom(seed));
    this.#tally = tally;
    this.#ground = { ns: `run-${seed}`, other: `run-${seed}-other`, isAlive: world.isAlive };
  }

  async live(): Promise<readonly string[]> {
    const { cluster } = this.#world;
    for (const name of this.#namespaces) await this.#world.drive(cluster.create({ ...KINDS.namespace, metadata: { name } }));
    for (this.#turn = 0; this.#turn < TURNS; this.#turn++) await this.#change();
    if (this.#dice.chance(0.5)) await this.#changeUnseen();
    this.#tally.runs += 1;
    await this.#world.stopEngines();
    await this.#world.clear(this.#namespaces);
    return this.#broken;
  }

  get #namespaces(): readonly string[] {
    return [this.#ground.ns, this.#ground.other];
  }

  #blame(sentence: string): void {
    this.#broken.push(`${this.#ground.ns}, change ${this.#turn + 1}: ${sentence}`);
  }

  async #change(): Promise<void> {
    const world = this.#world;
    const dice = this.#dice;
    this.#tally.changes += 1;
    const who = dice.pick<Who>(['root', 'author']);
    const trouble = dice.pick(TROUBLES);
    await world.stopEngines();
    const next = randomApplication(dice, this.#ground);
    const held = await world.application(this.#ground.ns);
    const shown = await world.dryRun(who, next);
    if (shown === undefined) {
      this.#tally.refused += 1;
      return;
    }
    const moment = { world, dice, ground: this.#ground, who, whole: this.#whole(shown) };
    let met = isBefore(trouble) && (await BEFORE[trouble](moment));
    const before = await this.#contents();
    const plan = trouble === 'foreign' ? await this.#foreignPlan(who, shown.plan) : shown.plan;
    met ||= plan !== shown.plan;
    const applied = await this.#apply(who, next, held, plan);
    if (applied === 'conflict') {
      this.#tally.conflicts += 1;
      if (!CONFLICTS.includes(trouble)) this.#blame(`a conflict although nobody else changed it (${trouble})`);
      return;
    }
    if (met && CONFLICTS.includes(trouble)) this.#blame('a second change went through as if there had been none before it');
    if (trouble === 'again') await this.#apply(who, next, await world.application(this.#ground.ns), shown.plan);
    met ||= isAfter(trouble) && (await AFTER[trouble](moment));
    const whole = trouble === 'quick' ? await this.#changeOnceMore(who) : moment.whole;
    await this.#evaluate({ moment: { ...moment, whole }, before, trouble, met, isFirst: held === undefined });
  }

  /** What was shown as it was before it was masked; nothing may be missing from the count. */
  #whole(shown: SavePreview): SavePreview {
    const kept = this.#world.previews.get(shown.plan)?.preview;
    if (kept === undefined) throw new Error('a preview that was shown is kept');
    if (JSON.stringify(kept.counts) !== JSON.stringify(shown.counts) || kept.changes.length !== shown.changes.length)
      this.#blame('something is left out of the count');
    const hidden = shown.changes.filter(({ masked }) => masked);
    this.#tally.masked += hidden.length;
    if (hidden.some(({ diff, uid, name }) => diff !== null || uid !== null || isRunName(name)))
      this.#blame('a masked row tells what it hides');
    return kept;
  }

  /** The plan of another change of the same application. */
  async #foreignPlan(who: Who, own: string): Promise<string> {
    const shown = await this.#world.dryRun(who, randomApplication(this.#dice, this.#ground));
    return shown?.plan ?? own;
  }

  async #apply(who: Who, next: KubeObject, held: KubeObject | undefined, plan: string): Promise<'applied' | 'conflict'> {
    const { commands } = this.#world;
    const { uid = '', generation = 1 } = held?.metadata ?? {};
    const seen = held === undefined ? ('absent' as const) : { uid, generation };
    try {
      await this.#world.drive(commands.applyApplication(this.#world.session(who), { manifest: JSON.stringify(next), seen, plan }));
      return 'applied';
    } catch (error) {
      if ((error as { code?: string }).code !== 'conflict') throw error;
      return 'conflict';
    }
  }

  /** Somebody changes it again before anything of the first change is done. */
  async #changeOnceMore(who: Who): Promise<SavePreview> {
    const next = randomApplication(this.#dice, this.#ground);
    const shown = await this.#world.dryRun(who, next);
    if (shown === undefined) throw new Error('what is made at random is well-formed');
    await this.#apply(who, next, await this.#world.application(this.#ground.ns), shown.plan);
    return this.#whole(shown);
  }

  #contents(): Promise<Contents> {
    return this.#world.contents(this.#namespaces);
  }

  async #evaluate({ moment, before, trouble, met, isFirst }: Evaluated): Promise<void> {
    const world = this.#world;
    const isMet = (await this.#engage(trouble, moment, { before, isFirst })) || met;
    await world.clock.advance(SETTLE_MS);
    if (isMet) this.#tally.met[trouble] = (this.#tally.met[trouble] ?? 0) + 1;
    // What gates in force forbid is refused before plans are compared; the preview has said so, and nothing of it is done.
    const isBound = (await world.appliedReason(this.#ground.ns)) === 'PolicyInForce';
    if (isBound && moment.whole.refused === null) this.#blame('gates in force forbid it, which its preview does not say');
    const mustWait = met && MOVES.includes(trouble) && !isBound;
    if (!(await world.isMoved(this.#ground.ns))) {
      if (mustWait) this.#blame(`${trouble} moved and nobody was asked`);
      else await this.#evaluateDone(moment, before, trouble);
      return;
    }
    this.#tally.moved += 1;
    if (!mustWait && !(met && MAY_MOVE.includes(trouble)))
      this.#blame(`it waits although nothing that counts has moved (${trouble}${met ? '' : ', nothing'})`);
    await world.clock.advance(WAIT_MS);
    for (const sentence of differences(before, await this.#contents())) this.#blame(`it waits, and yet ${sentence}`);
    const now = await this.#accept(trouble);
    if (now !== undefined) await this.#evaluateDone({ ...moment, whole: now }, before, trouble);
  }

  /** Lets the engines look, and makes happen to them what is to happen. Answers whether anything did. */
  async #engage(trouble: TroubleName, moment: Moment, { before, isFirst }: Pick<Evaluated, 'before' | 'isFirst'>): Promise<boolean> {
    const world = this.#world;
    const restart = async () => {
      await world.stopEngines();
      world.connection.repair();
      await world.startEngines();
    };
    switch (trouble) {
      case 'restart':
        await world.startEngines();
        await world.clock.advance(1);
        await restart();
        return true;
      case 'cut':
        world.connection.cutAt(1 + Math.floor(this.#dice.pick([...Array(MAX_REQUESTS).keys()])), this.#dice.chance(0.5));
        await world.startEngines();
        await world.clock.advance(SETTLE_MS);
        await restart();
        return true;
      case 'rights':
        return this.#withoutRights(moment, { before, isFirst });
      case 'refusal':
        return this.#refused(moment, before);
      default:
        await world.startEngines();
        return trouble === 'quick' || trouble === 'again';
    }
  }

  /** Whoever asked loses their rights before it is done, and gets them back. */
  async #withoutRights({ who, whole }: Moment, { before, isFirst }: Pick<Evaluated, 'before' | 'isFirst'>): Promise<boolean> {
    const world = this.#world;
    await world.takeRights(who);
    await world.startEngines();
    await world.clock.advance(SETTLE_MS);
    const reason = await world.appliedReason(this.#ground.ns);
    if (isFirst && reason !== 'NotPermitted' && whole.counts.new) this.#blame(`it is done by somebody who may not any more (${reason})`);
    if (reason === 'NotPermitted')
      for (const sentence of differences(before, await this.#contents())) this.#blame(`it is not permitted, and yet ${sentence}`);
    await world.giveRights(who);
    await world.clock.advance(RIGHTS_MS);
    return reason === 'NotPermitted';
  }

  /** The cluster refuses one of its objects for a while, when it is tried or only when it is written. */
  async #refused({ whole }: Moment, before: Contents): Promise<boolean> {
    const world = this.#world;
    const row = whole.changes.find(({ verdict }) => verdict === 'new' || verdict === 'changed');
    const alsoTried = this.#dice.chance(0.5);
    world.connection.refusal = row && { id: row.id, alsoTried };
    await world.startEngines();
    if (row === undefined) return false;
    await world.clock.advance(SETTLE_MS);
    const after = await this.#contents();
    const wrong = alsoTried ? differences(before, after) : losses(before, after);
    for (const sentence of wrong) this.#blame(`the cluster refuses ${row.id}, and yet ${sentence}`);
    world.connection.refusal = undefined;
    await world.clock.advance(REFUSED_MS);
    return true;
  }

  /** Accepts what the change would do now, and lets it be done. */
  async #accept(trouble: TroubleName): Promise<SavePreview | undefined> {
    const world = this.#world;
    const place = { ns: this.#ground.ns, name: 'web' };
    const { seen, now } = await world.drive(world.commands.readMovedPlan(world.session('root'), place));
    if (seen.preview === null && trouble !== 'misnoted') this.#blame('what was seen is not shown beside what would be done now');
    if (seen.plan === now.plan) this.#blame('it waits although both plans are the same');
    const { uid = '', generation = 0 } = (await world.application(place.ns))?.metadata ?? {};
    await world.drive(world.commands.acceptPlan(world.session('root'), place, { uid, generation, plan: now.plan }));
    await world.clock.advance(SETTLE_MS);
    if (!(await world.isMoved(place.ns))) return now;
    this.#blame('it still waits once it was accepted');
    return undefined;
  }

  async #evaluateDone(moment: Moment, before: Contents, trouble: TroubleName): Promise<void> {
    const plan = moment.whole;
    this.#tally.executed += 1;
    this.#tally.objects += plan.changes.length;
    const isStaged = plan.changes.some(({ kind, name }) => kind === 'Deployment' && name.startsWith('web-v'));
    const isRefused = plan.changes.length === 0 || plan.changes.some(({ verdict }) => verdict === 'refused');
    const late = isStaged && !isRefused ? await this.#rollOut(moment, before, trouble) : {};
    const after = await this.#contents();
    const rows = new Map(plan.changes.map((row) => [row.id, row]));
    const isAnyLeft = plan.changes.some(
      ({ id, verdict }) => verdict === 'deleted' && id !== late.taken && after.get(id)?.uid === before.get(id)?.uid,
    );
    const isHeld = late.isUnbound === true ? isAnyLeft : late.waits === true || plan.refused !== null;
    for (const id of new Set([...before.keys(), ...after.keys()])) {
      if (id === late.taken) continue; // by somebody else than the engine
      const sentence = explain(rows.get(id), before.get(id), after.get(id), { isRefused, isHeld });
      if (sentence !== undefined) this.#blame(`${id} ${sentence} (${trouble})`);
    }
    this.#tally.deleted += [...before.keys()].filter((id) => !after.has(id)).length;
    if (isRefused) await this.#letRivalsYield();
    else await approveHeld(moment, this.#dice.pick(HELD_LATE), this.#heldRun());
  }

  #heldRun(): HeldRun {
    return {
      contents: () => this.#contents(),
      meet: (what) => {
        this.#tally.met[what] = (this.#tally.met[what] ?? 0) + 1;
      },
      blame: (sentence) => this.#blame(sentence),
    };
  }

  /** Changes it by kubectl, which nobody previews: what goes beyond the limits waits, and goes as its page shows it. */
  async #changeUnseen(): Promise<void> {
    const world = this.#world;
    const { ns } = this.#ground;
    await world.stopEngines();
    const held = await world.application(ns);
    const next = randomApplication(this.#dice, this.#ground);
    const shown = await world.dryRun('root', next);
    if (held === undefined || shown === undefined) return;
    await world.drive(world.cluster.as({ user: 'root', groups: [] }).update({ ...held, spec: next.spec }));
    await world.startEngines();
    await world.clock.advance(world.isAlive ? ROLLOUT_MS : WAIT_MS);
    const moment: Moment = { world, dice: this.#dice, ground: this.#ground, who: 'root', whole: this.#whole(shown) };
    await approveHeld(moment, this.#dice.pick(HELD_LATE), this.#heldRun());
  }

  /** What was refused when it was seen is not done later, when it could be: somebody is asked. */
  async #letRivalsYield(): Promise<void> {
    const world = this.#world;
    const theirs = await world.removeRivals(this.#ground.ns);
    if (theirs === 0) return;
    await world.clock.advance(SETTLE_MS);
    const before = await this.#contents();
    this.#tally.met.yields = (this.#tally.met.yields ?? 0) + 1;
    await world.clock.advance(RIGHTS_MS);
    for (const sentence of differences(before, await this.#contents()))
      this.#blame(`others gave up what it needs, and ${sentence} although nobody was asked`);
  }

  /** Lets a rollout come to its end, with something late on the way. Answers what that does to the deletions at the end. */
  async #rollOut(moment: Moment, before: Contents, trouble: TroubleName): Promise<Late> {
    const world = this.#world;
    const late = this.#dice.pick<LateName>(LATE);
    await world.clock.advance(BEGUN_MS);
    const isUnderWay =
      (await world.rollout(this.#ground.ns))?.metadata.name !== undefined && losses(before, await this.#contents()).length === 0;
    let met: string | undefined;
    if (isUnderWay && (late === 'gone' || late === 'replaced' || late === 'stays')) met = await moveLate(moment, late);
    if (isUnderWay && late === 'restart') {
      await world.stopEngines();
      await world.startEngines();
    }
    if (isUnderWay && late === 'abort') await this.#abortAndRetry(before);
    if (met !== undefined || late === 'restart') this.#tally.met[`late ${late}`] = (this.#tally.met[`late ${late}`] ?? 0) + 1;
    await world.clock.advance(ROLLOUT_MS);
    if (met === undefined) return {};
    const is = (await this.#contents()).get(met);
    if (late === 'stays' && is === undefined) this.#blame(`${met} asked to stay in mid-rollout, and went`);
    // What asks to stay is another plan than the accepted one; without a plan it stays by itself and the others go.
    if (late === 'stays' && trouble !== 'unnoted') return { waits: true };
    if (late === 'gone' && is !== undefined && moment.whole.refused === null)
      this.#blame(`${met} went in mid-rollout, and what was put back stays at the end`);
    if (late === 'replaced' && is === undefined) this.#blame(`${met} was replaced in mid-rollout, and what came in its place went`);
    return { taken: met, isUnbound: trouble === 'unnoted' };
  }

  /** Goes back in mid-rollout, where nothing goes, and tries again. */
  async #abortAndRetry(before: Contents): Promise<void> {
    if (!(await this.#decide('abort'))) return; // it is through already
    await this.#world.clock.advance(ROLLOUT_MS);
    for (const sentence of losses(before, await this.#contents())) this.#blame(`it was aborted, and yet ${sentence}`);
    this.#tally.met['late abort'] = (this.#tally.met['late abort'] ?? 0) + 1;
    if (!(await this.#decide('retry'))) this.#blame('what was aborted cannot be tried again');
  }

  async #decide(verb: 'abort' | 'retry'): Promise<boolean> {
    const world = this.#world;
    const rollout = await world.rollout(this.#ground.ns);
    if (rollout === undefined) return false;
    const place = { ns: this.#ground.ns, name: 'web' };
    const revision =
      (rollout.spec as { targetRevisions?: readonly { revisionName: string }[] }).targetRevisions?.at(-1)?.revisionName ?? '';
    const request = { verb, uid: rollout.metadata.uid ?? '', revision, reason: 'to see', seen: { rollout: rolloutDigest(rollout) } };
    await world.drive(world.commands.decide(world.session('root'), place, request));
    await world.clock.advance(1_000);
    return (await world.lastDecision(place.ns)) === 'Accepted';
  }
}
