import type { ReleaseDecisionSpec } from '@/lib/contract/release-decision';
import type { KeptGate } from '@/lib/contract/release-gate';
import { readString } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import type { Gates } from '../gate/gates';
import type { DeclaredRelease } from '../model/declared';
import type { SessionComponents } from '../session/session-components';
import type { Answers } from './answers';
import { approvalsBeside, approversOf, evaluateApproval, evaluateArchive, evaluateLoosening, gateChangedAt } from './approvals';
import type { Evaluation } from './evaluate';
import type { Holds } from './holds';

interface GateDecisionsDeps {
  readonly gates: Gates;
  readonly holds: Holds;
  readonly answers: Answers;
  readonly follow: FollowUp;
}

/** Has what was decided carried out by the queue of releases: whoever decides next waits for no Helm. */
export interface FollowUp {
  /** Looks at a release now. */
  look(resource: DeclaredRelease): void;
  /** Brings a gated release to the commit that was just approved for it. */
  releaseApproved(resource: DeclaredRelease): void;
}

/** A decision about a gate, the release that it is about, and what carries it out. */
interface OnGate {
  readonly object: KubeObject;
  readonly spec: ReleaseDecisionSpec;
  readonly resource: DeclaredRelease;
  readonly parts: SessionComponents;
}

/** When a gate moves, and by whose decisions. */
interface Move {
  readonly at: string;
  readonly by: readonly string[];
}

/**
 * Approvals of commits, and looser demands. Each is answered by itself; the one that completes the number moves the gate.
 *
 * 1. The gate moves after the answer was written: a process that dies in between moves it when it looks at the decision again.
 * 2. What moved a gate does not count again: approvals that were given before the last move count for nothing after it.
 * 3. What it starts is started once, by whoever said that the decision has ended: a copy that is behind shows one that has as one that has not.
 */
export class GateDecisions {
  readonly #deps: GateDecisionsDeps;

  constructor(deps: GateDecisionsDeps) {
    this.#deps = deps;
  }

  /** Answers a decision that `evaluation` found no fault with so far. */
  async answer(decided: OnGate, evaluation: Evaluation): Promise<void> {
    const { object } = decided;
    const answer = evaluation.phase === 'Accepted' ? await this.#evaluate(decided) : evaluation;
    const answered = await this.#deps.answers.write(object, answer);
    if (answered !== undefined && answer.phase === 'Accepted') await this.finish({ ...decided, object: answered });
  }

  /** Counts an accepted decision, and moves the gate where the number is complete. */
  async finish(decided: OnGate): Promise<void> {
    const { object, spec, resource } = decided;
    const gate = this.#deps.gates.of(resource);
    const at = readString(object, 'status', 'at') ?? '';
    // It may have moved the gate already, before the process died that was to say so.
    const hasMoved = at === gateChangedAt(spec, gate);
    const by = hasMoved
      ? ((spec.digest === undefined ? gate?.approved : gate?.archive?.current)?.by ?? [])
      : approversOf(spec, gate, this.#deps.holds.about(resource.uid));
    const required = gate?.required ?? 0;
    if (!hasMoved && (gate === undefined || by.length < required))
      return void (await this.#deps.answers.end(object, { id: 'decided.counted', have: by.length, required }));
    if (spec.verb === 'approve')
      await (spec.digest === undefined ? this.#approve(decided, { at, by }) : this.#approveArchive(decided, { at, by }));
    else await this.#loosen(decided, { at, by });
  }

  /** Tells which approvals are void: those of commits that the branch does not contain any more. They do not count again, whatever comes back. */
  async voidLost({ resource, parts }: Pick<OnGate, 'resource' | 'parts'>): Promise<void> {
    const { gates, holds, answers } = this.#deps;
    const gate = gates.of(resource);
    if (gate === undefined) return;
    for (const { object, commit } of approvalsBeside(gate, holds.about(resource.uid))) {
      const facts = await parts.lookAtCommit(resource, commit);
      if (facts?.isOnBranch !== true) await answers.write(object, { phase: 'Expired', says: { id: 'decided.void', commit } });
    }
  }

  async #approve({ object, spec: { commit = '', seen }, resource }: OnGate, { at, by }: Move): Promise<void> {
    await this.#deps.gates.change(resource, (now) => ({
      ...now,
      approved: { commit, chart: seen?.chart ?? '', at, by: [...by], dependencies: seenDependencies(now, seen?.chart) },
      lost: null,
    }));
    if (await this.#deps.answers.end(object, { id: 'decided.approved', commit, by })) this.#deps.follow.releaseApproved(resource);
  }

  async #approveArchive({ object, spec: { digest = '', seen }, resource }: OnGate, { at, by }: Move): Promise<void> {
    const revision = seen?.chart ?? '';
    const current = { revision, digest, at, by: [...by] };
    await this.#deps.gates.change(resource, (now) => ({ ...now, archive: { current, waiting: null } }));
    const isEnded = await this.#deps.answers.end(object, { id: 'decided.archive-approved', revision, digest, by });
    if (isEnded) this.#deps.follow.releaseApproved(resource);
  }

  async #loosen({ object, resource }: OnGate, { at, by }: Move): Promise<void> {
    await this.#deps.gates.change(resource, (now) => toLooser(now, at));
    if (await this.#deps.answers.end(object, { id: 'decided.loosened', by })) this.#deps.follow.look(resource);
  }

  async #evaluate({ spec, resource, parts }: OnGate): Promise<Evaluation> {
    const gate = await this.#deps.gates.enter(resource);
    const approvers = approversOf(spec, gate, this.#deps.holds.about(resource.uid));
    if (spec.verb === 'loosen') return evaluateLoosening(spec, { gate, approvers });
    if (spec.digest !== undefined) return evaluateArchive(spec, { gate, approvers });
    const facts = spec.commit === undefined ? undefined : await parts.approvable(resource, spec.commit);
    return evaluateApproval(spec, { gate, facts, approvers });
  }
}

/** The dependencies of the commit that waits, where it is the one that was seen. */
function seenDependencies({ waiting }: KeptGate, chart: string | undefined): NonNullable<KeptGate['waiting']>['dependencies'] {
  return waiting?.chart === chart ? (waiting?.dependencies ?? null) : null;
}

/** Where nothing is demanded any more nothing is approved either: a gate that comes back begins anew, and does not take the release back. */
function toLooser(gate: KeptGate, at: string): KeptGate {
  if (gate.wanted == null) return gate;
  const { required, groups } = gate.wanted;
  return required === 0 ? { required: 0, groups: [], loosenedAt: at } : { ...gate, required, groups, wanted: null, loosenedAt: at };
}
