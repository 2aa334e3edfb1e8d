import type { DecisionVerb, StageDecisionSpec } from '@/lib/contract/stage-decision';
import { DECISION_VERBS, verbIs } from '@/lib/contract/stage-decision';
import type { Instant } from '@/lib/std/instant';
import type { RefusalMessage, RolloutMessage } from '@/lib/words/rollout-message';
import { completedOf, isPausedByPerson, stableOf } from '../control/control-facts';
import type { DecisionContext } from '../control/decisions';
import { effectOf, refusalOf, requiredPeople } from '../control/decisions';
import type { Evaluation } from '../control/evaluation';
import { isShortOfQuorum, quorumOf } from '../control/quorum';
import type { RolloutView } from '../control/view';
import { isOfApplication, targetNameOf } from '../control/view';
import type { PlannedStages } from '../pass/remaining-stages';
import { listRemainingStages } from '../pass/remaining-stages';
import { previousRevisionNames } from './attempts';
import type { Change } from './changes';
import { changesOf, peakOf, replicaChanges } from './changes';
import type { Act, Consequences, StageDescription } from './description';
import { describePlanned } from './stages';

/** What the verbs are told from: the rollout now, and what is planned of it. */
export interface ActInput {
  readonly view: RolloutView;
  readonly evaluation: Evaluation;
  readonly ahead: PlannedStages;
  readonly planned: readonly StageDescription[];
  readonly now: Instant;
  /** Why nobody may decide anything at all now. */
  readonly decisionsBlockedReason: RefusalMessage | undefined;
}

/** Every verb: possible now with what it does, or why not. */
export function describeActs(input: ActInput): Readonly<Record<DecisionVerb, Act>> {
  const { view, evaluation, ahead, planned } = input;
  const situation = { view, evaluation };
  const kept = wayOf(input, { next: view, stages: ahead.stages, planned });
  return Object.fromEntries(DECISION_VERBS.map((verb) => [verb, describeAct(verb, { input, situation, kept })])) as Readonly<
    Record<DecisionVerb, Act>
  >; // one per verb
}

/** What all verbs have in common. */
interface Common {
  readonly input: ActInput;
  readonly situation: DecisionContext;
  /** The way as it is planned now. */
  readonly kept: Way;
}

const NO_EARLIER_REVISION: RefusalMessage = { id: 'refused.no-earlier-revision' };

function describeAct(verb: DecisionVerb, { input, situation, kept }: Common): Act {
  const { view, decisionsBlockedReason } = input;
  const needsReason = verbIs(verb, 'wantsReason');
  const stage = verbIs(verb, 'namesStage') ? completedOf(view.control) : null;
  // Any earlier revision may be named; what is offered is the one it comes from.
  const revision = (verb === 'rollback' ? previousRevisionNames(view).at(-1) : targetNameOf(view)) ?? null;
  const why = decisionsBlockedReason ?? refusalOf(verb, situation) ?? (revision === null ? NO_EARLIER_REVISION : undefined);
  if (why !== undefined) return { verb, needsReason, stage, revision, allowed: false, why, consequences: null };
  const asks = requiredPeople(verb, situation);
  return { verb, needsReason, stage, revision, allowed: true, why: null, asks, consequences: consequencesOf(verb, input, kept) };
}

/** The rollout as it is right after a verb was accepted. */
function after(verb: DecisionVerb, { view, now }: ActInput): RolloutView {
  const spec: StageDecisionSpec = { verb, actor: { user: '' }, reason: '' };
  return effectOf(view, spec, now);
}

function consequencesOf(verb: DecisionVerb, input: ActInput, kept: Way): Consequences {
  const way = verbIs(verb, 'keepsPlan') ? kept : wayAfter(verb, input);
  const messages = SAYS[verb]({ input, way });
  // A pause moves nothing, and a rollback makes a revision whose stages are planned when it is there.
  if (verb === 'pause' || verb === 'rollback') return { messages, stages: verb === 'pause' ? way.planned : [], replicas: [], peak: 0 };
  return { messages, stages: way.planned, replicas: way.replicas, peak: way.peak };
}

/** The way from a decision to the end. */
interface Way {
  readonly next: RolloutView;
  readonly stages: PlannedStages['stages'];
  readonly planned: readonly StageDescription[];
  readonly changes: readonly Change[];
  readonly replicas: Consequences['replicas'];
  readonly peak: number;
}

function wayAfter(verb: DecisionVerb, input: ActInput): Way {
  const next = after(verb, input);
  const { stages } = listRemainingStages(next);
  const planned = stages.map((stage) => describePlanned(next, stage));
  return wayOf(input, { next, stages, planned });
}

function wayOf({ view }: ActInput, { next, stages, planned }: Pick<Way, 'next' | 'stages' | 'planned'>): Way {
  const changes = changesOf(view, stages);
  return { next, stages, planned, changes, replicas: replicaChanges(changes), peak: peakOf(next, stages) };
}

interface Planned {
  readonly input: ActInput;
  readonly way: Way;
}

type Says = (planned: Planned) => readonly RolloutMessage[];

const SAYS: Readonly<Record<DecisionVerb, Says>> = {
  approve: (planned) => oneOfMany('approve', planned) ?? nextStage(planned),
  advance: (planned) =>
    oneOfMany('advance', planned) ?? [
      ...(isPausedByPerson(planned.input.view.control) ? [{ id: 'act.pause-ends' } as const] : []),
      ...nextStage(planned),
      { id: 'act.gates-hold-again' },
    ],
  'promote-full': (planned) => {
    const { input, way } = planned;
    return (
      oneOfMany('promote-full', planned) ?? [
        ...(isPausedByPerson(input.view.control) ? [{ id: 'act.pause-ends' } as const] : []),
        { id: 'act.takes-everything', revision: targetNameOf(input.view), stages: way.stages.length },
        ...way.changes.flatMap(formatEnd),
        { id: 'act.health-judged' },
      ]
    );
  },
  pause: () => [{ id: 'act.nothing-advances' }, { id: 'act.nothing-undone' }, { id: 'act.deadlines-stand' }],
  resume: ({ way: { stages } }) => [{ id: 'act.goes-on', gates: stages.some(({ isGated }) => isGated) }],
  abort: ({ input: { view }, way: { next, stages, changes } }) => {
    const stable = stableOf(view.control).map(({ revisionName }) => revisionName);
    const rejected = targetNameOf(view);
    const ends: RolloutMessage = { id: 'act.no-rollout-again', rejected };
    if (stable.length === 0) return [{ id: 'act.nowhere-to-go-back', revision: rejected }, ends];
    // Only an application has objects beside its revisions, and puts them back.
    const shared: readonly RolloutMessage[] = isOfApplication(view) ? [{ id: 'act.shared-objects', stable }] : [];
    if (next.control.state === 'aborted') return [{ id: 'act.nothing-moved-yet', revision: rejected }, ...shared, ends];
    const delayMs = view.ro.policy.abortScaleDownDelaySeconds * 1000;
    return [
      { id: 'act.stable-first', stable, rejected },
      ...(stages.length === 0 ? [{ id: 'act.next-stage-unknown' } as const] : changes.flatMap(formatEnd)),
      ...shared,
      { id: 'act.rejected-ends', rejected, stable, delayMs },
      ends,
    ];
  },
  rollback: () => [{ id: 'act.set-back' }, { id: 'act.new-revision' }],
  loosen: (planned) => [...(oneOfMany('loosen', planned) ?? []), ...formatLooser(planned.input.view)],
  retry: ({ input: { view }, way: { next, stages, changes } }) => [
    { id: 'act.starts-over', revision: targetNameOf(view), stages: stages.length },
    ...(next.ro.policy.autoPromotionEnabled ? [] : [{ id: 'act.waits-before-first' } as const]),
    ...changes.flatMap(formatNext),
  ],
};

/** What a decision does that others have to make as well: it counts. */
function oneOfMany(verb: DecisionVerb, { input: { view } }: Planned): readonly RolloutMessage[] | undefined {
  const quorum = quorumOf(verb, view);
  if (quorum === undefined || !isShortOfQuorum(quorum)) return undefined;
  return [{ id: 'act.one-of-many', verb, given: quorum.given.length + 1, required: quorum.required }];
}

/** What else the looser policy does is in the stages and replicas beside. */
function formatLooser({ ro: { loosening } }: RolloutView): readonly RolloutMessage[] {
  return loosening === undefined ? [] : [{ id: 'act.loosens', fields: loosening.fields }];
}

function nextStage({ input, way: { stages, changes } }: Planned): readonly RolloutMessage[] {
  const [first] = stages;
  if (first === undefined) return [{ id: 'act.next-stage-unknown' }];
  return [
    ...(first.isCurrent ? [] : [{ id: 'act.stage-begins', stage: completedOf(input.view.control) + 1 } as const]),
    ...changes.flatMap(formatNext),
  ];
}

const formatNext = (change: Change) => formatChange(change, 'next');
const formatEnd = (change: Change) => formatChange(change, 'end');

function formatChange(change: Change, when: 'next' | 'end'): readonly RolloutMessage[] {
  const { revision, ready, share } = change;
  const { replicas: to, exact, share: percentTo } = change[when];
  if (to === change.replicas && to === ready) return [];
  const isReady = to === change.replicas; // what was asked for already is still on its way
  const from = isReady ? ready : change.replicas;
  return [{ id: 'act.revision-changes', revision, from, to, exact, isReady, percentFrom: share, percentTo }];
}
