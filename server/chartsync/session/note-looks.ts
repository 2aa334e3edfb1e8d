import { messageOf } from '@/lib/contract/app-error';
import type { RecordEntry } from '@/lib/contract/record-entry';
import type { Fields } from '@/lib/kube/fields';
import { readField, readString } from '@/lib/kube/fields';
import { toKubeTime } from '@/lib/std/instant';
import { LOOP_WORD, shortRevision } from '@/lib/words/say-release';
import type { Clock, Ids, Log } from '@/server/platform';
import type { LoopJournal } from '../describe/loop-journal';
import type { Identities } from '../identities';
import { whyNoAccount } from '../model/on-behalf-of';
import type { HelmPort, ResourcePort, Told } from '../ports';

interface LookNotesDeps {
  readonly journal: Pick<LoopJournal, 'note'>;
  readonly helm: Pick<HelmPort, 'readNewest'>;
  readonly resources: Pick<ResourcePort, 'writeStatus'>;
  readonly identities: Pick<Identities, 'accountOf'>;
  readonly record: (entry: RecordEntry) => Promise<void>;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
}

const ACTED: readonly Told['outcome'][] = ['installed', 'upgraded', 'rolled-back'];

/**
 * Notes what looks at releases came to where it outlives the process and every replica finds it: who acted last, what failed and what chart
 * is released stand in the status of the resource, acts and new failures on record. A look that finds nothing to do writes nothing.
 */
export class LookNotes implements AsyncDisposable {
  readonly #deps: LookNotesDeps;
  readonly #writing = new Set<Promise<void>>();

  constructor(deps: LookNotesDeps) {
    this.#deps = deps;
  }

  /** Takes down one look. */
  readonly take = (told: Told): void => {
    const isRepeated = this.#deps.journal.note(told);
    // The copy of its status may be behind, so what this process saw a moment ago counts as well.
    if (isRepeated && (told.outcome === 'failed' || told.outcome === 'plan-moved')) return;
    const writing = this.#write(told).catch((error: unknown) =>
      this.#deps.log.warn({ resource: told.resource.key, error: messageOf(error) }, 'what a look came to could not be noted'),
    );
    this.#writing.add(writing);
    void writing.finally(() => this.#writing.delete(writing));
  };

  /** Resolves once everything is written. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#writing);
  }

  async #write(told: Told): Promise<void> {
    const { resource, by, outcome } = told;
    const isNews = ACTED.includes(outcome) || by === 'deletion' || (outcome === 'failed' && isNewFailure(told));
    if (isNews) await this.#record(told);
    if (by === 'deletion') return; // the resource is gone
    const changes = await this.#changesOf(told);
    if (Object.keys(changes).length > 0) await this.#deps.resources.writeStatus(resource.at, changes);
  }

  async #changesOf(told: Told): Promise<Fields> {
    const { resource, by, outcome, revision, error, seen } = told;
    const at = toKubeTime(this.#deps.clock.now());
    if (outcome === 'failed') return isNewFailure(told) ? { failure: { at, by, revision: revision ?? null, message: error ?? '' } } : {};
    if (outcome === 'plan-moved') return { planMoved: { at, seen, message: error ?? '' } };
    const isTold = (member: string) => readField(resource.status, member) !== undefined;
    const mended = { ...(isTold('failure') ? { failure: null } : {}), ...(isTold('planMoved') ? { planMoved: null } : {}) };
    if (outcome === 'waits') return mended;
    const acted = ACTED.includes(outcome);
    if (!acted && isTold('chart')) return mended;
    const newest = await this.#deps.helm.readNewest(resource.release).catch(() => undefined);
    if (newest === undefined) return mended;
    const { name, version, appVersion } = newest.chart.metadata;
    const chart = { name: textOf(name), version: textOf(version), appVersion: textOf(appVersion) };
    const lastAct = { at, by, outcome, revision: revision ?? null, storedRevision: newest.revision };
    return { ...mended, chart, ...(acted ? { lastAct } : {}) };
  }

  async #record(told: Told): Promise<void> {
    const { record, ids, clock, identities } = this.#deps;
    const { resource, by, outcome, revision, rule } = told;
    const evidence = { ...(revision === undefined ? {} : { revision }), ...(rule === undefined ? {} : { rule }) };
    const { release, onBehalfOf } = resource;
    const as = whyNoAccount(onBehalfOf) === undefined ? { as: identities.accountOf(onBehalfOf) ?? null } : {};
    const data = { by, outcome, release, ...as, ...evidence };
    await record({ id: ids.uuid(), at: clock.now(), actor: 'slipway', action: `release.${outcome}`, about: resource.at, message: sentenceOf(told), data });
  }
}

/** What fails again as it did before is told once. */
function isNewFailure({ resource: { status }, revision, error }: Told): boolean {
  return readString(status, 'failure', 'message') !== (error ?? '') || (readString(status, 'failure', 'revision') ?? undefined) !== revision;
}

function sentenceOf({ resource: { release }, by, outcome, revision, error }: Told): string {
  const at = revision === undefined ? '' : ` at ${shortRevision(revision)}`;
  const what = `release ${release.name} in ${release.namespace}`;
  if (outcome === 'failed') return `${LOOP_WORD[by]}: ${what} failed${at}: ${error ?? ''}`;
  return `${LOOP_WORD[by]}: ${what} was ${outcome}${at}`;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
