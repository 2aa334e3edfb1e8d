import { formatDuration } from '@/lib/std/duration';
import { fromCatalogue } from './catalogue/catalogue';
import { formatCount, formatList, formatNumber, formatPercent } from './figures';
import type { Exactness, RolloutMessage, StageName } from './rollout-message';

type Sentences = { readonly [Id in RolloutMessage['id']]: (message: Extract<RolloutMessage, { readonly id: Id }>) => string };

const gatePlace = (stage: number) => (stage === 0 ? 'before stage 1' : `after stage ${stage}`);
const stageName = (stage: StageName) => (stage === 'abort' ? 'the abort' : `stage ${stage}`);
const ABOUT: Readonly<Record<Exactness, string>> = { exactly: '', atLeast: 'at least ', atMost: 'at most ' };

function formatTaken({ revision, by, why }: Extract<RolloutMessage, { readonly id: 'refused.taken' | 'wait.taken' }>): string {
  if (why === 'application')
    return `${revision} belongs to application ${by ?? ''}, and a rollout that this application does not own cannot scale it`;
  if (why === 'rights')
    return `${by ?? ''}, who wrote this rollout, may not patch Deployment ${revision}, so the engine does not scale it for them`;
  return `${revision} belongs to ${by === null ? 'a StagePodAutoscaler outside this rollout' : `rollout ${by}`}, and two rollouts cannot scale one revision`;
}
const TAKEN_ENDS = {
  application: 'the rollout is stopped until it names another revision',
  rights: 'the rollout is stopped until they are allowed to',
} as const;

/** How many are still to come: `1 approval`, `2 more approvals`. */
function formatMissing({
  required,
  given,
  of,
}: {
  readonly required: number;
  readonly given: readonly string[];
  readonly of: string;
}): string {
  const missing = required - given.length;
  return given.length === 0 ? formatCount(missing, of) : formatCount(missing, `more ${of}`);
}

function formatGiven(required: number, given: readonly string[]): string {
  return given.length === 0 ? '' : ` (${given.length} of ${required} given, by ${formatList(given)})`;
}

const SENTENCES: Sentences = {
  'wait.unreadable': ({ field, problem }) => `the rollout cannot be read: ${field} ${problem}; the rollout is stopped until it is fixed`,
  'wait.annotated': ({ annotation }) =>
    `the annotation ${annotation} pauses this rollout: nothing changes and no decision is evaluated until it is removed`,
  'wait.failed': ({ failure }) => `reconciling this rollout failed and is retried: ${failure}`,
  'wait.failed-part': ({ kind, name, since, failure }) =>
    `reconciling ${kind} ${name} has been failing since ${since} and is retried with back-off: ${failure}`,
  'wait.application-goes': ({ application }) =>
    `application ${application} is being deleted, and this rollout with it; it continues until then`,
  'wait.taken': (message) =>
    `${formatTaken(message)}; ${message.why === undefined ? 'both are stopped until one of them names another revision or is deleted' : TAKEN_ENDS[message.why]}`,
  'wait.workload-failed': ({ revision, why }) => `Deployment ${revision}: ${why}`,
  'wait.no-target': () => 'no target revision is set',
  'wait.complete': ({ revision, shares }) =>
    shares === undefined
      ? `all traffic goes to ${revision}`
      : `traffic goes to ${formatList(shares.map((one) => `${one.revision} (${formatPercent(one.percent)})`))}`,
  'wait.aborted': ({ revision, reason, stable }) => {
    const where =
      stable.length === 0
        ? 'there is no revision to return to, its pods are kept for inspection'
        : `all traffic goes to ${formatList(stable)}`;
    return `${revision} was aborted: ${reason}; ${where}; retry it, or roll out another revision`;
  },
  'wait.gate': ({ stage, required, given, groups, opensAt }) => {
    const from = groups.length === 0 ? '' : ` from ${formatList(groups, 'or')}`;
    const opens = opensAt === null ? '' : `; the gate opens automatically at ${opensAt}`;
    return `waiting for ${formatMissing({ required, given, of: 'approval' })}${from} ${gatePlace(stage)}${formatGiven(required, given)}${opens}`;
  },
  'wait.soak': ({ stage, ms, until }) => `stage ${stage} must stay healthy for ${formatDuration(ms)}, until ${until}`,
  'wait.paused': ({ by }) =>
    `${by === 'person' ? 'paused by a person' : 'paused by the policy of the rollout'}; nothing advances until it is resumed`,
  'wait.held': ({ because }) => `held: ${because}; nothing advances until it is resumed`,
  'wait.health-unknown': ({ errors, allowed }) => `health could not be read ${errors} times in a row (limit ${allowed})`,
  'wait.blind': ({ of, since, reason, forbidden }) => {
    const what = forbidden
      ? `${of} objects of its namespace have been unreadable since ${since}`
      : `${of} objects of its namespace were last read at ${since}`;
    return `${what}: ${reason}; the rollout neither continues nor aborts until they can be read again`;
  },
  'wait.ungranted': ({ why }) => `waiting for a grant: ${why}`,
  'wait.looser-policy': ({ fields, required, given }) => {
    const missing = formatMissing({ required, given, of: 'decision' });
    return `a looser policy (${fields.join(', ')}) is waiting for ${missing} to loosen${formatGiven(required, given)}; until then the stricter policy applies`;
  },
  'wait.planning': () => 'the next stage is being planned',
  'wait.fault': ({ sentence }) => sentence,
  'wait.stage-reached': ({ stage }) => `${stageName(stage)} is reached`,
  'wait.grow': ({ stage, revision, least, most, has }) => {
    const wanted = most === null || most === least ? `${least}` : `${least} to ${most}`;
    return `${stageName(stage)}: ${revision} has ${has} of ${wanted} ready ${wanted === '1' ? 'replica' : 'replicas'}`;
  },
  'wait.shrink': ({ stage, revision, most, has }) =>
    `${stageName(stage)}: ${revision} still has ${formatCount(has, 'replica')}, at most ${formatNumber(most)} allowed`,
  'wait.terminating': ({ stage, revision, pods }) =>
    pods === 0
      ? `no pod of ${revision} is terminating`
      : `${stageName(stage)}: ${pods ?? 'unknown'} ${pods === 1 ? 'pod' : 'pods'} of ${revision} still terminating`,
  'wait.target-lost': ({ revision }) => `Deployment ${revision} is no longer in the cluster, and traffic still goes to it`,
  'wait.workload-missing': ({ revision }) => `Deployment ${revision} does not exist yet`,
  'wait.workload-unobserved': ({ revision }) => `Deployment ${revision} has not been reconciled by its controller since it changed`,
  'wait.autoscaler-missing': ({ revision }) => `StagePodAutoscaler ${revision} does not exist yet`,
  'wait.kept': ({ revision, until }) => `${revision} still serves: its pods are kept until ${until}`,
  'wait.floor': ({ revision, keeps, wished, floor }) =>
    `${revision} keeps ${formatCount(keeps, 'replica')} instead of ${wished}, so that ${floor} stay ready`,
  'wait.stalled': ({ stage, seconds, because }) =>
    `${stageName(stage)} has made no progress for ${seconds} s${because === null ? '' : `: ${formatRollout(because)}`}`,

  'state.stage': ({ stage, revision, percent }) => `stage ${stage}: ${revision} goes to ${formatPercent(percent)}`,
  'state.returning': ({ rejected, stable, reason }) =>
    stable.length === 0 ? `${rejected} is aborted: ${reason}` : `${rejected} is aborted: ${reason}; ${stable.join(', ')} takes over again`,

  'refused.unreadable': ({ field, problem }) => `the rollout cannot be read: ${field} ${problem}`,
  'refused.annotated': ({ annotation }) => `the annotation ${annotation} pauses this rollout`,
  'refused.taken': formatTaken,
  'refused.idle': ({ rollout }) => `rollout ${rollout} is idle: nothing is in progress`,
  'refused.aborting': () => 'the rollout is being aborted',
  'refused.aborted': () => 'the rollout is already aborted',
  'refused.under-way': ({ stage, verb }) =>
    `stage ${stage} is still in progress; ${verb === 'approve' ? 'no gate is closed' : 'nothing holds it'}`,
  'refused.no-gate': ({ because }) => `no gate is waiting for approval${because === null ? '' : `: ${formatRollout(because)}`}`,
  'refused.paused-by-policy': () => 'the policy of the rollout pauses it; change the policy',
  'refused.paused-already': () => 'the rollout is already paused',
  'refused.not-paused': () => 'the rollout is not paused',
  'refused.promoted-already': () => 'the rollout is already fully promoted',
  'refused.nothing-aborted': () => 'there is no aborted rollout to retry',
  'refused.nothing-looser': () => 'no looser policy is waiting for approval',
  'refused.no-earlier-revision': () => 'there is no earlier revision to return to',
  'refused.application-goes': ({ application }) => `a rollback changes the application, and ${application} is being deleted`,
  'refused.no-application': () => 'a rollback changes the application, and this rollout has none; change its target instead',

  'act.one-of-many': ({ verb, given, required }) =>
    `This is ${verb === 'approve' ? 'approval' : 'decision'} ${given} of ${required}. Nothing ${verb === 'loosen' ? 'changes' : 'moves'} until ${required} people have decided the same.`,
  'act.loosens': ({ fields }) => `The requested policy takes effect; it loosens ${formatList(fields)}.`,
  'act.pause-ends': () => 'The pause ends.',
  'act.stage-begins': ({ stage }) => `Stage ${stage} begins.`,
  'act.next-stage-unknown': () => 'The next stage is planned once the replicas of all revisions are known.',
  'act.gates-hold-again': () => 'Gates and soaks after that stage still apply.',
  'act.revision-changes': ({ revision, from, to, exact, isReady, percentFrom, percentTo }) => {
    const moves = `${revision} goes from ${from} to ${ABOUT[exact]}${formatCount(to, isReady ? 'ready replica' : 'replica')}`;
    if (percentFrom === null || percentTo === null) return `${moves}.`;
    if (percentFrom !== percentTo)
      return `${moves} and from ${formatPercent(percentFrom)} to ${formatPercent(percentTo)} of the traffic, by pod ratio.`;
    return percentTo === 0
      ? `${moves} and still gets no traffic.`
      : `${moves} and keeps ${formatPercent(percentTo)} of the traffic, by pod ratio.`;
  },
  'act.takes-everything': ({ revision, stages }) => {
    const count = stages === 0 ? '' : ` in ${formatCount(stages, 'stage')}`;
    return `${revision} takes over completely${count}, without any further gate or soak.`;
  },
  'act.health-judged': () => 'Health checks still apply.',
  'act.nothing-advances': () => 'Nothing advances until it is resumed.',
  'act.nothing-undone': () => 'Replicas and traffic stay as they are; nothing is undone.',
  'act.deadlines-stand': () => 'Deadlines are suspended.',
  'act.goes-on': ({ gates }) => `The rollout continues from where it is.${gates ? ' Gates still apply.' : ''}`,
  'act.nowhere-to-go-back': ({ revision }) =>
    `There is no revision to return to: ${revision} stops where it is and its pods are kept for inspection.`,
  'act.nothing-moved-yet': ({ revision }) => `Nothing has changed yet: ${revision} is rejected and no replica changes.`,
  'act.stable-first': ({ stable, rejected }) => `${stable.join(', ')} is scaled up before ${rejected} is scaled down.`,
  'act.shared-objects': ({ stable }) => `Shared objects, such as ConfigMaps and Services, return to those of ${stable.join(', ')} at once.`,
  'act.rejected-ends': ({ rejected, stable, delayMs }) =>
    delayMs === 0
      ? `${rejected} is scaled to 0 as soon as ${stable.join(', ')} has its ready replicas.`
      : `${rejected} still serves for at least ${formatDuration(delayMs)}, then is scaled to 0 once ${stable.join(', ')} has its ready replicas.`,
  'act.no-rollout-again': ({ rejected }) => `${rejected} is not rolled out again until a retry or another change.`,
  'act.set-back': () => 'The application is restored to the named revision, as a new change.',
  'act.new-revision': () => 'This creates a new revision, which is rolled out with the same stages and gates.',
  'act.starts-over': ({ revision, stages }) =>
    `The rollout to ${revision} starts over${stages === 0 ? '' : `, in ${formatCount(stages, 'stage')}`}.`,
  'act.waits-before-first': () => 'It waits for approval before stage 1.',

  'decided.expired': ({ ms }) => `it expired ${formatDuration(ms)} before it was evaluated, and nothing was done`,
  'decided.another-rollout': ({ rollout, decided, uid }) =>
    `it was decided about another rollout ${rollout}, which is gone: uid ${decided ?? 'none'}, not ${uid}`,
  'decided.another-stage': ({ decided, stage }) =>
    `it was decided at stage ${decided ?? 'none'}, but the rollout has completed stage ${stage}`,
  'decided.another-revision': ({ decided, target }) => `it was decided about ${decided}, but the rollout goes to ${target}`,
  'decided.no-reason': ({ verb }) => `${verb} needs a reason, and none is written`,
  'decided.no-revision': ({ verb }) => `${verb} needs the revision that it is about, and none is named`,
  'decided.moved': ({ what }) => `the ${what} has changed since it was reviewed; review it and decide again`,
  'decided.twice': ({ verb, user, stage, have, required }) => {
    const counts = `counts (${have} of ${required})`;
    if (verb === 'loosen') return `${user} has already decided to loosen this policy; that decision ${counts}`;
    return verb === 'approve'
      ? `${user} has already approved the gate ${gatePlace(stage)}; that approval ${counts}`
      : `${user} has already decided to ${verb === 'advance' ? 'advance' : 'promote fully'} ${gatePlace(stage)}; that decision ${counts}`;
  },
  'decided.counted': ({ verb, stage, nth, required }) =>
    `${verb} ${nth} of ${required}${verb === 'loosen' ? '' : ` at stage ${stage}`}: it takes effect once ${required} people have decided it`,
  'decided.approve': ({ stage, nth, required }) => `approval ${nth} of ${required} for stage ${stage}`,
  'decided.advance': ({ stage }) => `advances one stage from stage ${stage}`,
  'decided.promote-full': ({ revision }) => `goes to ${revision} without further gates and soaks`,
  'decided.pause': () => 'pauses the rollout',
  'decided.resume': () => 'resumes the rollout',
  'decided.abort': ({ revision }) => `aborts the rollout to ${revision}`,
  'decided.rollback': ({ revision }) => `rolls back to ${revision}`,
  'decided.retry': ({ revision }) => `tries ${revision} once more`,
  'decided.loosen': ({ fields }) => `puts the looser policy into force: ${fields.join(', ')}`,
};

/** The English of a message about a rollout. */
export function formatRollout<M extends RolloutMessage>(message: M): string {
  // TypeScript cannot see that the entry of an id takes the message of that id; the type of the table says so.
  const say = SENTENCES[message.id] as (message: M) => string;
  return fromCatalogue(say(message));
}
