import { isFields, readField, readFields, readList, readString } from '@/lib/kube/fields';
import { KINDS, POLICY_REQUESTED_BY, REQUESTED_BY, ROLLED_BACK } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { groupOf } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { ApiContext, Call, Target } from '../api/context';
import { metadataOf } from '../api/decode-body';
import { forbidden } from '../api/failures';
import type { Draft } from '../kinds/draft';
import { toKey } from '../kinds/resource';
import type { Caller } from './caller';
import { hasLineBreak, linesOf } from './caller';

const APPLICATION_GROUP = groupOf(KINDS.application.apiVersion);
const REVISIONS = 'applicationrevisions.core.oam.dev';
const DECISIONS = 'stagedecisions.slipway.dev';
const RELEASE_DECISIONS = 'releasedecisions.slipway.dev';
const AUTOSCALERS = 'stagepodautoscalers.serving.knative.dev';
const ROLLOUTS = 'rolloutorchestrators.serving.knative.dev';

/** What writes or deletes them is refused with, by kind; a rollout says more. */
const REFUSALS: Readonly<Record<string, string>> = {
  [REVISIONS]: 'may not write ApplicationRevisions, which engines make',
  [DECISIONS]: 'may not answer or delete StageDecisions, which engines do',
  [RELEASE_DECISIONS]: 'may not answer or delete ReleaseDecisions, which engines do',
  [AUTOSCALERS]: 'may not write or delete StagePodAutoscalers, which engines do',
};
const OTHER_OWNERS: Readonly<Record<string, string>> = {
  [DECISIONS]: 'may not give StageDecisions other owners or finalizers, which engines do',
  [RELEASE_DECISIONS]: 'may not give ReleaseDecisions other owners or finalizers, which engines do',
};
const WANTED = 'it requires the right to create resourcetrackers.core.oam.dev';

/** Annotations that say what fields of a rollout's spec say where a definition lacks those. */
const POLICY_WORDS = ['slipway.dev/control', 'rollout.knative.dev/over-consumption-ratio'];
const LOOSEN = 'have a policy without gates decided (loosen) first';

/** What an engine plans in the spec of a rollout. */
const NO_STAGES = { stageTargetRevisions: undefined, targetFinishTime: undefined };
const OTHER_WORDS = [ROLLED_BACK, 'rollout.knative.dev/stage-rollout-timeout-minutes'];

interface Written {
  readonly object: Draft;
  readonly previous: KubeObject | undefined;
}

/** True for engines: those who may create trackers. */
export const isEngine = ({ rights }: ApiContext, caller: Caller) =>
  rights.reasonFor(caller, { verb: 'create', group: APPLICATION_GROUP, resource: 'resourcetrackers' }) !== undefined;

/** The parts of a cluster that take away what an owner or a namespace had; whatever else runs in kube-system is like everybody. */
const CLEANERS: readonly string[] = [
  'system:serviceaccount:kube-system:generic-garbage-collector',
  'system:serviceaccount:kube-system:namespace-controller',
  'system:kube-controller-manager',
];
const cleansUp = ({ user }: Caller) => CLEANERS.includes(user);

/** Keeps what only engines write to them, as the policies `engines` and `rollouts` in deploy/ do on other clusters; who writes a rollout of nobody's is noted. */
export function admitToEngines(context: ApiContext, target: Target, written: Written, { caller }: Call): void {
  const { storage } = target.resource;
  const isStatus = target.subresource === 'status';
  if (storage === ROLLOUTS) admitRollout(context, target, written, caller);
  if (REFUSALS[storage] === undefined || (target.subresource !== undefined && !isStatus)) return;
  // A revision has no status that means anything; a decision's spec never changes, and its making is looked at on its own.
  if (storage === REVISIONS && isStatus) return;
  const isDecision = storage === DECISIONS || storage === RELEASE_DECISIONS;
  if (!isStatus && (isDecision ? !changesOwners(written, caller) : saysTheSame(written, caller))) return;
  if (isEngine(context, caller)) return;
  if (isDecision && !isStatus) throw refused(target, written.object, `${caller.user} ${OTHER_OWNERS[storage]}: ${WANTED}`);
  throw refused(target, written.object, `${caller.user} ${REFUSALS[storage]}: ${WANTED}`);
}

/** A decision with an owner that is not there would be cleaned away, and with it what it holds. */
const changesOwners = (written: Written, caller: Caller) =>
  written.previous !== undefined && !(keepsOwners(written) && keeps(written, 'finalizers')) && !cleansUp(caller);

/** True where a list of the metadata stays as it was. */
const keeps = ({ object, previous }: Written, member: string) =>
  deepEqual(readList(object, 'metadata', member), readList(previous, 'metadata', member));
const keepsOwners = (written: Written) => keeps(written, 'ownerReferences');

/** The same of a deletion; what holds a rollout to its gates would go with it. */
export function admitDeletion(context: ApiContext, target: Target, { caller }: Call): void {
  const { resource, namespace, name = '' } = target;
  const { storage } = resource;
  if ((storage !== ROLLOUTS && REFUSALS[storage] === undefined) || cleansUp(caller) || isEngine(context, caller)) return;
  if (storage !== ROLLOUTS) throw forbidden(resource, name, `${caller.user} ${REFUSALS[storage]}: ${WANTED}`);
  const held = context.store.get(storage, toKey(resource, namespace, name));
  if (held === undefined) return;
  if (isOwned(held)) throw forbidden(resource, name, ofItsApplication(caller));
  if (!isBound(held)) return;
  throw forbidden(resource, name, `${caller.user} may not delete a rollout whose gates are in force: ${LOOSEN}`);
}

function admitRollout(context: ApiContext, target: Target, { object, previous }: Written, caller: Caller): void {
  if (target.subresource === 'status' && !isEngine(context, caller))
    throw refused(target, object, `${caller.user} may not write the status of RolloutOrchestrators, which engines do: ${WANTED}`);
  if (target.subresource !== undefined) return;
  if (!isOwned(object) && (previous === undefined || !isOwned(previous))) {
    if (
      previous !== undefined &&
      isBound(previous) &&
      !keepsOwners({ object, previous }) &&
      !cleansUp(caller) &&
      !isEngine(context, caller)
    )
      throw refused(target, object, `${caller.user} may not give a rollout whose gates are in force other owners: ${LOOSEN}`);
    // Of these an engine plans stages and writes the status. For anything else it is noted like everybody: tools that may do everything count as engines.
    if (noteWriter({ object, previous }, caller, isEngine(context, caller)) && hasLineBreak(caller.user))
      throw refused(target, object, OF_LINES);
  } else if (!saysTheSame({ object, previous }, caller) && !isEngine(context, caller))
    throw refused(target, object, ofItsApplication(caller));
}

const ofItsApplication = ({ user }: Caller) =>
  `${user} may not write or delete the rollout of an application, which engines do: change the application, or decide with a StageDecision`;

const OF_LINES = 'the user name of whoever changes the rollout must not contain a line break, since notes list one person per line';

const refused = ({ resource }: Target, object: Draft, sentence: string) =>
  forbidden(resource, readString(object, 'metadata', 'name') ?? '', sentence);

/** Whose an object is and what it holds; whoever cleans up may take owners and finalizers away. */
function saysTheSame({ object, previous }: Written, caller: Caller): boolean {
  const said = ({ spec, metadata }: Draft | KubeObject) => [
    spec,
    ...['labels', 'annotations', ...(cleansUp(caller) ? [] : ['ownerReferences', 'finalizers'])].map((member) =>
      readField(metadata, member),
    ),
  ];
  return previous !== undefined && deepEqual(said(object), said(previous));
}

function isOwned(object: Draft | KubeObject): boolean {
  const owners = readList(object, 'metadata', 'ownerReferences');
  return owners.some(
    (owner) => readString(owner, 'kind') === 'Application' && readString(owner, 'apiVersion')?.startsWith(`${APPLICATION_GROUP}/`) === true,
  );
}

/** True while the terms in force ask people; what is remembered stands in an annotation of the status where a definition lacks the field. */
function isBound(rollout: KubeObject): boolean {
  if (isFields(readField(rollout, 'status', 'control', 'terms'))) return true;
  return readString(rollout, 'status', 'annotations', 'slipway.dev/control-status')?.includes('"terms":') === true;
}

/** Whoever changes a rollout that no application owns is noted, and whoever changes its policy beside all who did before. True where this change is noted. */
function noteWriter({ object, previous }: Written, { uid = '', ...caller }: Caller, plansStages: boolean): boolean {
  const held = previous?.metadata.annotations ?? {};
  const words = readFields(object, 'metadata', 'annotations');
  const differs = (names: readonly string[]) => names.some((name) => (words[name] ?? '') !== (held[name] ?? ''));
  const policyOf = (of: Draft | KubeObject) => [readField(of, 'spec', 'control') ?? {}, readField(of, 'spec', 'overConsumptionRatio')];
  const isOtherPolicy = previous === undefined || !deepEqual(policyOf(object), policyOf(previous)) || differs(POLICY_WORDS);
  const askedOf = ({ spec }: Draft | KubeObject) => (plansStages ? { ...(isFields(spec) ? spec : {}), ...NO_STAGES } : spec);
  const isOther = isOtherPolicy || !deepEqual(askedOf(object), askedOf(previous)) || differs(OTHER_WORDS);
  const asked = (held[POLICY_REQUESTED_BY.user] ?? '').split('\n').filter((user) => user !== '');
  const note = {
    [REQUESTED_BY.user]: isOther ? caller.user : held[REQUESTED_BY.user],
    [REQUESTED_BY.groups]: isOther ? linesOf(caller) : held[REQUESTED_BY.groups],
    [REQUESTED_BY.uid]: isOther ? uid : held[REQUESTED_BY.uid],
    [POLICY_REQUESTED_BY.user]: [...new Set(isOtherPolicy ? [...asked, caller.user] : asked)].join('\n'),
  };
  const { [REQUESTED_BY.uid]: _uid, [POLICY_REQUESTED_BY.user]: _asked, ...rest } = words;
  const given = Object.fromEntries(
    Object.entries(note).filter(([name, value]) => value !== undefined && (value !== '' || name === REQUESTED_BY.groups)),
  );
  metadataOf(object).annotations = { ...rest, ...given };
  return isOther;
}
