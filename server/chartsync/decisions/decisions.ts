import { messageOf } from '@/lib/contract/app-error';
import type { ReleaseDecisionSpec, UninstallDecisionSpec } from '@/lib/contract/release-decision';
import { decidedTypeOf, GATE_VERB, UNINSTALL_VERB } from '@/lib/contract/release-decision';
import { readReleaseType } from '@/lib/contract/release-kind';
import { readString } from '@/lib/kube/fields';
import { describeResource, SECRET } from '@/lib/kube/kinds';
import type { KubeObject, ObjectKey } from '@/lib/kube/object';
import { toObjectKey } from '@/lib/kube/object';
import { parseInstant } from '@/lib/std/instant';
import type { ReleaseMessage } from '@/lib/words/release-message';
import type { EngineDeps, Outcome } from '@/server/framework';
import { requeueAfter, settled } from '@/server/framework';
import type { Store } from '@/server/kube';
import { ignoreNotFound } from '@/server/kube';
import { claimantsIn, storeOf } from '../cluster/resources';
import type { HelmOperations } from '../describe/helm-operations';
import type { Gates } from '../gate/gates';
import { releaseOwnerOf } from '../loops/claims';
import type { DeclaredRelease } from '../model/declared';
import { readDeclared } from '../model/declared';
import type { RevisionEntry } from '../model/release';
import type { SessionComponents } from '../session/session-components';
import { isUninstall, readUninstall, Uninstalls } from '../undeclared/uninstalls';
import { Answers } from './answers';
import type { Evaluation } from './evaluate';
import { evaluate, isExpired } from './evaluate';
import type { FollowUp } from './gate-decisions';
import { GateDecisions } from './gate-decisions';
import { readReleaseDecision } from './hold';
import type { Holds } from './holds';
import { queueOf } from './queues';
import { Repairs } from './repairs';

const AGAIN_MS = 2000;
interface DecisionsDeps
  extends Pick<EngineDeps, 'cluster' | 'clock' | 'ids' | 'log' | 'record' | 'decisionsBlockedReason' | 'recordState'> {
  readonly stores: readonly Store[];
  readonly holds: Holds;
  readonly gates: Gates;
  readonly works: Pick<HelmOperations, 'of'>;
  /** What carries acts out; undefined while nobody can. */
  readonly parts: () => SessionComponents | undefined;
  readonly follow: FollowUp;
}

interface Decided {
  readonly object: KubeObject;
  readonly spec: ReleaseDecisionSpec;
  readonly resource: DeclaredRelease;
}

/**
 * Answers what people decide about releases, carries it out, and puts it on record.
 *
 * 1. A decision counts once, for the resource that was seen, while what was seen holds, and while decisions can be tied to people and put on record.
 * 2. One that holds a release is answered before anything is carried out: a process that dies in between leaves the release held, not moving.
 * 3. A rollback that was under way when its process died is not tried again: what Helm left is told, and a person decides.
 */
export class ReleaseDecisions {
  readonly #deps: DecisionsDeps;
  readonly #underWay = new Set<string>();
  /** The uid of each that was put on record, until it is gone. */
  readonly #recorded = new Map<ObjectKey, string>();
  readonly #answers: Answers;
  readonly #onGates: GateDecisions;
  readonly #repairs: Repairs;
  readonly #uninstalls: Uninstalls;

  constructor(deps: DecisionsDeps) {
    this.#deps = deps;
    this.#answers = new Answers(deps);
    this.#repairs = new Repairs(this.#answers);
    this.#uninstalls = new Uninstalls({ ...deps, answers: this.#answers });
    this.#onGates = new GateDecisions({ ...deps, answers: this.#answers });
  }

  /** One look at a decision. */
  async reconcile(key: ObjectKey, object: KubeObject | undefined): Promise<Outcome> {
    if (object === undefined) this.#recorded.delete(key);
    if (object === undefined) return settled();
    if (readString(object, 'spec', 'verb') === GATE_VERB) return this.#seeGate(object);
    const phase = readString(object, 'status', 'phase') ?? 'Pending';
    if (phase === 'Pending') return this.#answer(object);
    await this.#record(object, phase);
    return this.#endInterrupted(object, phase);
  }

  /** A gate says which commit waits, so it moves when the branch does. */
  async #seeGate(object: KubeObject): Promise<Outcome> {
    const parts = this.#deps.parts();
    const resource = await this.#resourceOf(object);
    if (parts !== undefined && resource !== undefined) await this.#onGates.voidLost({ resource, parts });
    return settled();
  }

  async #answer(object: KubeObject): Promise<Outcome> {
    const spec = readReleaseDecision(object) ?? readUninstall(object)?.spec;
    if (spec === undefined) return this.#reject(object, { id: 'decided.unreadable' });
    const decisionsBlockedReason = this.#deps.decisionsBlockedReason?.() ?? null;
    if (decisionsBlockedReason !== null) return this.#reject(object, { id: 'wait.engine', why: decisionsBlockedReason });
    // What nobody could look up later does not count yet; what stops is never kept waiting for that.
    const isPatient = queueOf(object) !== 'stop';
    if (isPatient && ((await this.#deps.recordState?.()) ?? 'open') !== 'open') return requeueAfter(AGAIN_MS);
    if (spec.verb === UNINSTALL_VERB) return this.#uninstall(object, spec);
    const resource = await this.#resourceOf(object);
    if (resource === undefined) {
      const { name, kind } = spec.releaseRef;
      const type = decidedTypeOf(object) ?? { apiVersion: '', kind };
      return this.#reject(object, {
        id: 'decided.gone',
        resource: describeResource({ ...type, name, namespace: object.metadata.namespace }),
      });
    }
    const decided = { object, spec, resource };
    const parts = this.#deps.parts();
    // A hold and its end want nobody but the engine.
    if (spec.verb === 'hold' || spec.verb === 'lift') return this.#answerPlain(decided, parts);
    return parts === undefined ? this.#waitFor(object, spec) : this.#carryOut(decided, parts);
  }

  async #answerPlain(decided: Decided, parts: SessionComponents | undefined): Promise<Outcome> {
    const evaluation = this.#evaluate(decided, []);
    const isAccepted = (await this.#answers.write(decided.object, evaluation)) !== undefined && evaluation.phase === 'Accepted';
    if (isAccepted && decided.spec.verb !== 'hold' && parts !== undefined) {
      parts.refresh(decided.resource);
      this.#deps.follow.look(decided.resource);
    }
    return settled();
  }

  async #carryOut(decided: Decided, parts: SessionComponents): Promise<Outcome> {
    switch (decided.spec.verb) {
      case 'rollback':
      case 'unlock': {
        // Both read Helm's storage and write as the account of the namespace: without the grant the API server would refuse them, in its own words.
        const ungranted = await parts.ungranted(decided.resource);
        if (ungranted !== undefined) return this.#reject(decided.object, { id: 'decided.ungranted', why: ungranted });
        return decided.spec.verb === 'rollback' ? this.#rollBack(decided, parts) : this.#repair(decided, parts);
      }
      case 'cancel':
        return this.#repair(decided, parts);
      case 'approve':
      case 'loosen':
        await this.#onGates.answer({ ...decided, parts }, this.#evaluate(decided, []));
        return settled();
      default:
        return this.#answerPlain(decided, parts);
    }
  }

  async #uninstall(object: KubeObject, spec: UninstallDecisionSpec): Promise<Outcome> {
    const [parts, uninstall] = [this.#deps.parts(), readUninstall(object)];
    if (parts === undefined || uninstall === undefined) return this.#waitFor(object, spec);
    await this.#whileUnderWay(object, () => this.#uninstalls.carryOut(uninstall, parts));
    return settled();
  }

  /** What runs in this process was not interrupted. */
  async #whileUnderWay(object: KubeObject, task: () => Promise<void>): Promise<void> {
    const { uid = '' } = object.metadata;
    this.#underWay.add(uid);
    await task().finally(() => this.#underWay.delete(uid));
  }

  /** Nobody can carry it out now; it waits as long as it counts, what was accepted about a gate for ever. */
  async #waitFor(object: KubeObject, spec: Pick<ReleaseDecisionSpec | UninstallDecisionSpec, 'verb' | 'expiresAt'>): Promise<Outcome> {
    const isAccepted = readString(object, 'status', 'phase') === 'Accepted';
    if ((isAccepted && spec.verb !== 'cancel') || !isExpired(spec, this.#deps.clock.now())) return requeueAfter(AGAIN_MS);
    if (isAccepted) await this.#answers.end(object, { id: 'decided.cut-short' });
    else await this.#answers.write(object, { phase: 'Expired', says: { id: 'decided.expired' } });
    return settled();
  }

  async #repair(decided: Decided, parts: SessionComponents): Promise<Outcome> {
    const { object, spec } = decided;
    // Told at once: being alone on the release would mean to wait for the end of that.
    if (spec.verb === 'unlock' && this.#isAtWork(decided)) return this.#reject(object, { id: 'act.under-way' });
    await this.#whileUnderWay(object, async () => {
      if (spec.verb === 'unlock') await this.#repairs.unlock({ ...decided, parts }, (history) => this.#evaluate(decided, history));
      else await this.#repairs.cancel({ ...decided, parts }, this.#evaluate(decided, []));
    });
    return settled();
  }

  async #rollBack(decided: Decided, parts: SessionComponents): Promise<Outcome> {
    const { object, spec, resource } = decided;
    const revision = spec.revision ?? 0;
    let answered: KubeObject | undefined;
    const mayBegin = async (history: readonly RevisionEntry[]) => {
      const evaluation = await this.#permit(decided, { history, parts });
      answered = await this.#answers.write(object, evaluation);
      return answered !== undefined && evaluation.phase === 'Accepted';
    };
    await this.#whileUnderWay(object, async () => {
      try {
        await parts.sync.rollback(resource, revision, mayBegin);
        if (answered !== undefined && readString(answered, 'status', 'phase') === 'Accepted')
          await this.#answers.end(answered, { id: 'decided.rolled-back', revision });
      } catch (error) {
        if (answered === undefined) throw error; // before it was answered: tried again
        await this.#answers.end(answered, { id: 'decided.failed', revision, why: messageOf(error) });
      }
    });
    return settled();
  }

  async #permit(
    decided: Decided,
    { history, parts }: { readonly history: readonly RevisionEntry[]; readonly parts: SessionComponents },
  ): Promise<Evaluation> {
    const evaluation = this.#evaluate(decided, history);
    const { spec, resource } = decided;
    const from = history.at(-1)?.revision;
    if (evaluation.phase !== 'Accepted' || from === undefined) return evaluation;
    const right = await parts.missingRollbackRight(resource, { from, to: spec.revision ?? 0, hooks: runsHooks(resource) }, spec.actor);
    return right === undefined ? evaluation : { phase: 'Rejected', says: { id: 'decided.may-not', user: spec.actor.user, right } };
  }

  #evaluate({ spec, resource }: Decided, history: readonly RevisionEntry[]): Evaluation {
    const holder = releaseOwnerOf(resource, claimantsIn(this.#deps.stores, resource.release))?.at;
    const seen = {
      resource,
      uid: resource.uid,
      hold: this.#deps.holds.of(resource.uid),
      gate: this.#deps.gates.of(resource),
      holder: holder && describeResource(holder),
      stored: history.at(-1)?.status,
      isAtWork: this.#isAtWork({ resource }),
      history,
    };
    return evaluate(spec, seen, this.#deps.clock.now());
  }

  #isAtWork({ resource }: Pick<Decided, 'resource'>): boolean {
    return this.#deps.works.of(resource.release)?.until === null;
  }

  /** The copy may be behind: a decision comes from somebody who saw the resource. */
  async #resourceOf(object: KubeObject): Promise<DeclaredRelease | undefined> {
    const { namespace } = object.metadata;
    const name = readString(object, 'spec', 'releaseRef', 'name') ?? '';
    const type = decidedTypeOf(object);
    const known = type && storeOf(this.#deps.stores, type)?.get(toObjectKey({ namespace, name }));
    if (known !== undefined || type === undefined) return known && readDeclared(known);
    return ignoreNotFound(this.#deps.cluster.get({ ...type, namespace: namespace ?? '', name }).then(readDeclared));
  }

  async #reject(object: KubeObject, says: ReleaseMessage): Promise<Outcome> {
    await this.#answers.write(object, { phase: 'Rejected', says });
    return settled();
  }

  async #endInterrupted(object: KubeObject, phase: string): Promise<Outcome> {
    const spec = readReleaseDecision(object);
    if (phase !== 'Accepted' || readString(object, 'status', 'finishedAt') !== undefined || this.#underWay.has(object.metadata.uid ?? ''))
      return settled();
    if (isUninstall(object)) await this.#uninstalls.endInterrupted(object);
    if (spec === undefined) return settled();
    if (spec.verb === 'rollback') await this.#answers.end(object, { id: 'decided.interrupted' });
    else if (spec.verb === 'unlock') await this.#answers.end(object, { id: 'decided.cut-short' });
    else if (spec.verb === 'approve' || spec.verb === 'loosen' || spec.verb === 'cancel') {
      const [parts, resource] = [this.#deps.parts(), await this.#resourceOf(object)];
      const isGone = resource === undefined || resource.uid !== spec.releaseRef.uid;
      if (isGone && spec.verb === 'cancel') await this.#answers.end(object, { id: 'decided.nothing-cancelled' });
      if (isGone) return settled();
      if (parts === undefined) return this.#waitFor(object, spec);
      if (spec.verb !== 'cancel') await this.#onGates.finish({ object, spec, resource, parts });
      else await this.#whileUnderWay(object, () => this.#repairs.endCancel({ object, spec, resource, parts }));
    }
    return settled();
  }

  async #record(object: KubeObject, phase: string): Promise<void> {
    const { uid = '', namespace } = object.metadata;
    const spec = readReleaseDecision(object) ?? readUninstall(object)?.spec;
    const key = toObjectKey(object.metadata);
    if (this.#recorded.get(key) === uid) return;
    const { name = '', ...ref } = spec?.releaseRef ?? { kind: '' };
    const type = readReleaseType(ref) ?? (ref.kind === SECRET.kind ? SECRET : { apiVersion: '', kind: ref.kind });
    await this.#deps.record({
      id: uid,
      at: parseInstant(readString(object, 'status', 'at')) ?? this.#deps.clock.now(),
      actor: spec?.actor.user ?? 'unknown',
      action: `decision.${spec?.verb ?? 'unreadable'}`,
      about: { ...type, ...(namespace === undefined ? {} : { namespace }), name },
      message: `${phase}: ${readString(object, 'status', 'message') ?? ''}`,
      data: {
        phase,
        decision: object.metadata.name,
        ...(spec ? { revision: spec.revision, commit: spec.commit, digest: spec.digest, reason: spec.reason, seen: spec.seen } : {}),
      },
    });
    this.#recorded.set(key, uid);
  }
}

function runsHooks(resource: DeclaredRelease): boolean {
  return resource.profile === 'base' || !resource.spec.rollback.disableHooks;
}
