import { messageOf } from '@/lib/contract/app-error';
import type { ReleaseDecisionSpec } from '@/lib/contract/release-decision';
import { readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { parseInstant } from '@/lib/std/instant';
import type { DeclaredRelease } from '../model/declared';
import type { RevisionEntry } from '../model/release';
import type { SessionComponents } from '../session/session-components';
import type { Answers } from './answers';
import type { Evaluation } from './evaluate';

/** A decision to put right what Helm does or left, and what carries it out. */
export interface Repair {
  readonly object: KubeObject;
  readonly spec: ReleaseDecisionSpec;
  readonly resource: DeclaredRelease;
  readonly parts: SessionComponents;
}

/** Judges a decision on what Helm has stored, oldest first. */
type Evaluator = (history: readonly RevisionEntry[]) => Evaluation;

/**
 * Ends Helm's work, and frees releases that it left pending.
 *
 * 1. An unlock runs alone on the release: while it does, no Helm of this process works on it.
 * 2. A cancel waits for nobody, least of all for the work that it ends.
 */
export class Repairs {
  readonly #answers: Answers;

  constructor(answers: Answers) {
    this.#answers = answers;
  }

  /** Marks the pending revision that was seen as failed, where the person may write Helm's storage. */
  async unlock({ object, spec, resource, parts }: Repair, evaluate: Evaluator): Promise<void> {
    const isDone = await parts.sync.alone(resource, async () => {
      const history = await parts.readHistory(resource.release);
      const revision = history.at(-1)?.revision ?? 0;
      let evaluation = evaluate(history);
      if (evaluation.phase === 'Accepted') {
        const right = await parts.lackedStorageRight(resource, spec.actor);
        if (right !== undefined) evaluation = { phase: 'Rejected', says: { id: 'decided.may-not-unlock', user: spec.actor.user, right } };
      }
      const answered = await this.#answers.write(object, evaluation);
      if (answered === undefined || evaluation.phase !== 'Accepted') return false;
      try {
        await parts.markFailed(resource, revision);
      } catch (error) {
        await this.#answers.end(answered, { id: 'decided.unlock-failed', why: messageOf(error) });
        return false;
      }
      await this.#answers.end(answered, { id: 'decided.unlocked', revision });
      return true;
    });
    if (isDone) await parts.sync.reconcile(resource, 'decision');
  }

  /** Asks the Helm that works on the release to end, and tells what it left. */
  async cancel(repair: Repair, evaluation: Evaluation): Promise<void> {
    const answered = await this.#answers.write(repair.object, evaluation);
    if (answered === undefined || readString(answered, 'status', 'phase') !== 'Accepted') return;
    const command = await repair.parts.cancel(repair.resource, repair.spec.actor.user);
    if (command === undefined) return void (await this.#answers.end(answered, { id: 'decided.nothing-cancelled' }));
    await this.#answers.end(answered, { id: 'decided.cancelled', command, ...(await leftBy(repair)) });
  }

  /** The same of one that an earlier process accepted and did not carry out to its end: Helm that began after that was not meant. */
  async endCancel(repair: Repair): Promise<void> {
    const { object, spec, resource, parts } = repair;
    const [since, acceptedAt] = [parts.inheritedSince(resource), parseInstant(readString(object, 'status', 'at'))];
    const isMeant = since !== undefined && acceptedAt !== undefined && since <= acceptedAt;
    const command = isMeant ? await parts.cancel(resource, spec.actor.user) : undefined;
    await this.#answers.end(object, { id: 'decided.cancelled', command: command ?? null, ...(await leftBy(repair)) });
  }
}

/** What Helm stored last; that Helm was ended is told also where that cannot be read. */
async function leftBy({ parts, resource }: Repair) {
  try {
    const newest = (await parts.readHistory(resource.release)).at(-1);
    return { stored: newest?.status ?? null, revision: newest?.revision ?? null };
  } catch (error) {
    return { stored: null, revision: null, unread: messageOf(error) };
  }
}
