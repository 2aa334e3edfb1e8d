import { messageOf } from '@/lib/contract/app-error';
import type { RecordEntry } from '@/lib/contract/record-entry';
import type { UninstallDecisionSpec } from '@/lib/contract/release-decision';
import { UNINSTALL_VERB, uninstallDecisionSpec } from '@/lib/contract/release-decision';
import { readField, readString } from '@/lib/kube/fields';
import { describeResource, SECRET } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { describeObject } from '@/lib/kube/object';
import { formatRelease } from '@/lib/words/format-release';
import type { ReleaseMessage } from '@/lib/words/release-message';
import type { Cluster, Store } from '@/server/kube';
import type { Clock, Ids } from '@/server/platform';
import { claimantsIn } from '../cluster/resources';
import type { Answers } from '../decisions/answers';
import type { Evaluation } from '../decisions/evaluate';
import { isExpired } from '../decisions/evaluate';
import type { HelmOperations } from '../describe/helm-operations';
import type { ReleaseRef } from '../model/release';
import { readStoredName } from '../model/release';
import type { SessionComponents } from '../session/session-components';
import { definitionsOf, requireFresh, requireServed } from './listed';

interface UninstallsDeps {
  readonly answers: Answers;
  readonly cluster: Pick<Cluster, 'get'>;
  readonly stores: readonly Store[];
  readonly works: Pick<HelmOperations, 'of'>;
  readonly record: (entry: RecordEntry) => Promise<void>;
  readonly ids: Ids;
  readonly clock: Pick<Clock, 'now'>;
}

/** A decision to uninstall a release that no resource declares. */
export interface Uninstall {
  readonly object: KubeObject;
  readonly spec: UninstallDecisionSpec;
  readonly release: ReleaseRef;
}

/** Reads such a decision; undefined for any other, and for one that names no stored revision. */
export function readUninstall(object: KubeObject): Uninstall | undefined {
  const spec = uninstallDecisionSpec.safeParse(readField(object, 'spec'));
  const stored = spec.success ? readStoredName(spec.data.releaseRef.name) : undefined;
  if (!spec.success || stored === undefined) return undefined;
  return { object, spec: spec.data, release: { namespace: object.metadata.namespace ?? '', name: stored.name } };
}

/** Whether a decision is of that kind, readable or not. */
export function isUninstall(object: KubeObject): boolean {
  return readString(object, 'spec', 'verb') === UNINSTALL_VERB;
}

/** Whether such a decision waits for somebody who carries it out. */
export function isWaitingUninstall(object: KubeObject): boolean {
  return isUninstall(object) && (readString(object, 'status', 'phase') ?? 'Pending') === 'Pending';
}

/**
 * Uninstalls releases that no resource declares.
 *
 * 1. It counts for the newest stored revision that was seen, and for that object: whatever Helm stored meanwhile was not seen.
 * 2. Helm writes as the account of the namespace, so the person is asked for every right that it uses; the record names both.
 * 3. One that was under way when its process died is not tried again: a person decides by what Helm left.
 */
export class Uninstalls {
  readonly #deps: UninstallsDeps;

  constructor(deps: UninstallsDeps) {
    this.#deps = deps;
  }

  /** Judges it alone on the release, answers it, and has Helm do it. */
  async carryOut({ object, spec, release }: Uninstall, parts: SessionComponents): Promise<void> {
    const { answers, works } = this.#deps;
    // Told at once: being alone on the release would mean to wait for the end of that.
    if (works.of(release)?.until === null) return void (await answers.write(object, { phase: 'Rejected', says: { id: 'act.under-way' } }));
    await parts.sync.alone({ release }, async () => {
      const evaluation = await this.#evaluate({ object, spec, release }, parts);
      const answered = await answers.write(object, evaluation);
      if (answered === undefined || evaluation.phase !== 'Accepted') return;
      const ended = await parts.undeclared.uninstall(release).then(
        () => ({ id: 'decided.uninstalled', release: release.name, namespace: release.namespace }) as const,
        (error: unknown) => ({ id: 'decided.uninstall-failed', why: messageOf(error) }) as const,
      );
      // What Helm did is told even where neither store nor disk takes the entry, which is kept in memory then: it was not interrupted.
      await this.#record({ object, spec, release }, { says: ended, as: parts.undeclared.account(release) }).finally(() =>
        answers.end(answered, ended),
      );
    });
  }

  /** The decision is on record by itself; this is what came of it, and as whom Helm did it. */
  async #record(
    { object, spec, release }: Uninstall,
    { says, as }: { readonly says: ReleaseMessage; readonly as: string | null },
  ): Promise<void> {
    const { record, ids, clock } = this.#deps;
    const action = says.id === 'decided.uninstalled' ? 'release.uninstalled' : 'release.failed';
    const about = { ...SECRET, namespace: release.namespace, name: spec.releaseRef.name };
    const data = { by: spec.actor.user, as, release, decision: object.metadata.name ?? '' };
    await record({ id: ids.uuid(), at: clock.now(), actor: 'slipway', action, about, message: formatRelease(says), data });
  }

  /** Tells of one that was accepted by a process that died over it. */
  async endInterrupted(object: KubeObject): Promise<void> {
    await this.#deps.answers.end(object, { id: 'decided.uninstall-interrupted' });
  }

  async #evaluate({ spec, release }: Uninstall, { undeclared }: SessionComponents): Promise<Evaluation> {
    const reject = (says: ReleaseMessage): Evaluation => ({ phase: 'Rejected', says });
    if (isExpired(spec, this.#deps.clock.now())) return { phase: 'Expired', says: { id: 'decided.expired' } };
    requireFresh(this.#deps.stores, this.#deps.clock.now());
    await requireServed(this.#deps.stores, definitionsOf(this.#deps.cluster));
    const [declared] = claimantsIn(this.#deps.stores, release);
    if (declared !== undefined) return reject({ id: 'decided.declared', by: describeResource(declared.at) });
    const ungranted = await undeclared.ungranted(release);
    if (ungranted !== undefined) return reject({ id: 'decided.ungranted', why: ungranted });
    const newest = await undeclared.findNewest(release);
    if (newest === undefined) return reject({ id: 'decided.no-release', release: release.name, namespace: release.namespace });
    const { revision } = newest.entry;
    const seen = readStoredName(spec.releaseRef.name)?.revision ?? null;
    if (seen !== revision || newest.uid !== spec.releaseRef.uid) return reject({ id: 'decided.stored-moved', seen, newest: revision });
    const flux = await undeclared.declaredByFlux(release, revision);
    if (flux !== undefined) return reject({ id: 'decided.declared', by: describeObject(flux) });
    const right = await undeclared.missingRollbackRight(release, revision, spec.actor);
    if (right !== undefined) return reject({ id: 'decided.may-not-uninstall', user: spec.actor.user, right });
    return { phase: 'Accepted', says: { id: 'decided.uninstall' } };
  }
}
