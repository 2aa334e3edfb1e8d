import { messageOf } from '@/lib/contract/app-error';
import type { ExtendedRelease } from '../model/declared';
import { releaseKey } from '../model/release';
import type { Trigger } from '../ports';
import { actOnSync } from './act-sync';
import type { SyncDecision } from './decide-sync';
import { decideSync } from './decide-sync';
import { ensureFinalizer } from './ensure-finalizer';
import { observeSync } from './observe-sync';
import type { Decided } from './report-sync';
import { eventOf, reportSync } from './report-sync';
import { attemptedOf, observedGenerationOf } from './status/last-attempt';
import { StatusDraft } from './status/status-draft';
import type { ExtendedDeps, Outcome, Remediation } from './sync';
import type { SyncObservation, SyncSubject } from './sync-observation';

type Told = Exclude<Outcome, { readonly outcome: 'cut-off' }>;

/** What a look at one release has. */
interface Look {
  readonly by: Trigger;
  readonly signal: AbortSignal;
}

/** What the engine does with one release of the later kinds (spec/chartsync 12.4): observe, decide, act, and tell what came of it. */
export class ExtendedReleases {
  readonly #deps: ExtendedDeps;

  constructor(deps: ExtendedDeps) {
    this.#deps = deps;
  }

  /** Brings one release in line with its resource. Its failures are told and stand in its status, and are never thrown. */
  async sync(listed: ExtendedRelease, by: Trigger, signal: AbortSignal): Promise<void> {
    if (listed.spec.suspend && listed.hasFinalizer) return; // X-SUSP-1
    const { exclusion, resources, charts } = this.#deps;
    await exclusion.run(releaseKey(listed.release), async () => {
      if (signal.aborted || resources.isStopped(listed.at)) return; // that came while it waited for its turn
      await charts.exports.holding(async (holding) => {
        const seen = await observeSync(listed, { signal, holding }, this.#deps);
        if (seen === null || signal.aborted) return; // deleting it is another's work, as is what begins when this process ends
        const decision = decideSync(seen);
        if (decision.kind === 'pass-over') await this.#passOver(seen, decision, by);
        else await this.#act(seen, decision, { by, signal });
      });
    });
  }

  async #passOver({ resource, status }: SyncSubject, { tell }: Extract<SyncDecision, { kind: 'pass-over' }>, by: Trigger): Promise<void> {
    if (tell !== undefined) this.#deps.notify({ resource, by, revision: attemptedOf(status).revision, ...tell });
    await ensureFinalizer(resource, this.#deps);
  }

  async #act(seen: SyncObservation, decision: Exclude<SyncDecision, { kind: 'pass-over' }>, { by, signal }: Look): Promise<void> {
    const { resources, clock, log, notify } = this.#deps;
    const { resource, status, chart } = seen;
    const draft = new StatusDraft(status, clock);
    const flush = () => draft.write((changes) => resources.writeStatus(resource.at, changes));
    const revisionDecided = decision.kind === 'roll-back' ? attemptedOf(status).revision : chart?.at.revision;
    const decided: Decided = { rule: 'rule' in decision ? decision.rule : undefined, revision: revisionDecided };
    const remediated = (back: Remediation) => {
      decided.remediated = back;
    };
    const told = await actOnSync(decision, { seen, sync: { resource, by, draft, signal, flush, remediated }, deps: this.#deps });
    if (told.outcome === 'cut-off')
      return log.info({ resource: resource.key, error: told.error }, 'what was begun is left to the next server');
    if (told.outcome === 'failed') log.warn({ resource: resource.key, error: told.error }, 'release could not be synced');
    const { generation = resource.generation } = told.outcome === 'failed' ? told : {};
    if (told.outcome !== 'plan-moved' && told.outcome !== 'waits') draft.sawGeneration(Math.max(generation, observedGenerationOf(status))); // nothing of it was done
    draft.set({ releaseName: resource.release.name });
    await flush().catch((error: unknown) => log.warn({ resource: resource.key, error: messageOf(error) }, 'could not write the status'));
    await this.#recordEvent(resource, { ...told, phase: draft.text('phase') });
    const revision = told.outcome === 'failed' ? decided.revision : draft.text('lastAttemptedRevision');
    reportSync({ resource, by, revision, ...told }, decided, notify);
  }

  async #recordEvent(resource: ExtendedRelease, told: Told & { readonly phase: string | undefined }): Promise<void> {
    const { resources, log } = this.#deps;
    const event = eventOf(resource.release.name, told);
    if (event === undefined) return;
    await resources
      .recordEvent(resource.at, event)
      .catch((failure: unknown) => log.warn({ resource: resource.key, error: messageOf(failure) }, 'could not record the event'));
  }
}
