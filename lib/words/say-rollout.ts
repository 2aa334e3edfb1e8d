import { formatDuration } from '@/lib/std/duration';
import { sayCount, sayList, sayPercent } from './figures';
import type { Exactness, RolloutMessage, StageName } from './rollout-message';

type Sentences = { readonly [Id in RolloutMessage['id']]: (message: Extract<RolloutMessage, { readonly id: Id }>) => string };

const stageName = (stage: StageName) => (stage === 'abort' ? 'the abort' : `stage ${stage}`);
const ABOUT: Readonly<Record<Exactness, string>> = { exactly: '', atLeast: 'at least ', atMost: 'at most ' };

function sayTaken({ revision, by, why }: Extract<RolloutMessage, { readonly id: 'refused.taken' | 'wait.taken' }>): string {
  if (why === 'application') return `${revision} belongs to application ${by ?? ''}, and a rollout that this application does not own cannot scale it`;
  if (why === 'rights') return `${by ?? ''}, who wrote this rollout, may not patch Deployment ${revision}, so the engine does not scale it for them`;
  return `${revision} belongs to ${by === null ? 'a StagePodAutoscaler that is not of this rollout' : `rollout ${by}`}, and two rollouts cannot scale one revision`;
}
const TAKEN_ENDS = { application: 'nothing moves until it names another revision', rights: 'nothing moves until they may' } as const;

/** How many are still to come: `1 approval`, `2 more approvals`. */
function sayMissing({ required, given, of }: { readonly required: number; readonly given: readonly string[]; readonly of: string }): string {
  const missing = required - given.length;
  return given.length === 0 ? sayCount(missing, of) : sayCount(missing, `more ${of}`);
}

function sayGiven(required: number, given: readonly string[]): string {
  return given.length === 0 ? '' : ` (${given.length} of ${required} given, by ${sayList(given)})`;
}

const SENTENCES: Sentences = {
  'wait.unreadable': ({ field, problem }) => `the rollout cannot be read: ${field} ${problem}; nothing moves until it is mended`,
  'wait.annotated': ({ annotation }) => `the annotation ${annotation} holds this rollout: nothing moves and no decision is answered until it is taken away`,
  'wait.failed': ({ failure }) => `the engine failed on this rollout and tries again: ${failure}`,
  'wait.failed-part': ({ kind, name, since, failure }) => `the engine fails on ${kind} ${name} since ${since}, and tries again with growing pauses: ${failure}`,
  'wait.application-goes': ({ application }) =>
    `application ${application} is being deleted, and this rollout and what it moves go with it; it goes on until then`,
  'wait.taken': (message) =>
    `${sayTaken(message)}; ${message.why === undefined ? 'nothing moves until one of them names another revision or is deleted' : TAKEN_ENDS[message.why]}`,
  'wait.workload-failed': ({ revision, why }) => `Deployment ${revision}: ${why}`,
  'wait.no-target': () => 'no target is asked for',
  'wait.complete': ({ revision }) => `all traffic goes to ${revision}`,
  'wait.aborted': ({ revision, reason, stable }) => {
    const where = stable.length === 0 ? 'there is nothing to go back to, its pods are left for inspection' : `all traffic goes to ${sayList(stable)}`;
    return `${revision} was aborted: ${reason}; ${where}; it waits for a retry or another target`;
  },
  'wait.gate': ({ stage, required, given, groups, opensAt }) => {
    const place = stage === 0 ? 'before stage 1' : `after stage ${stage}`;
    const from = groups.length === 0 ? '' : ` from ${sayList(groups, 'or')}`;
    const opens = opensAt === null ? '' : `; the gate opens by itself at ${opensAt}`;
    return `waiting for ${sayMissing({ required, given, of: 'approval' })}${from} ${place}${sayGiven(required, given)}${opens}`;
  },
  'wait.soak': ({ stage, ms, until }) => `stage ${stage} must stay healthy for ${formatDuration(ms)}, until ${until}`,
  'wait.paused': ({ by }) => `${by === 'person' ? 'paused by a person' : 'paused by the policy of the rollout'}; nothing advances until it is resumed`,
  'wait.held': ({ because }) => `held: ${because}; nothing advances until it is resumed`,
  'wait.health-unknown': ({ errors, allowed }) => `health could not be read ${errors} times in a row, ${allowed} are allowed`,
  'wait.blind': ({ of, since, reason, forbidden }) => {
    const what = forbidden ? `${of} objects of its namespace may not be read since ${since}` : `${of} objects of its namespace were last read at ${since}`;
    return `${what}: ${reason}; it neither goes on nor is aborted by what was known then, and goes on when they can be read again`;
  },
  'wait.ungranted': ({ why }) => `waiting for a grant: ${why}`,
  'wait.looser-policy': ({ fields, required, given }) => {
    const missing = sayMissing({ required, given, of: 'decision' });
    return `a looser policy (${fields.join(', ')}) is waiting for ${missing} to loosen${sayGiven(required, given)}; until then the stricter one applies`;
  },
  'wait.planning': () => 'the next stage is being planned',
  'wait.fault': ({ sentence }) => sentence,
  'wait.stage-reached': ({ stage }) => `${stageName(stage)} is reached`,
  'wait.grow': ({ stage, revision, least, most, has }) => {
    const wanted = most === null || most === least ? `${least}` : `${least} to ${most}`;
    return `${stageName(stage)} wants ${wanted} ready ${wanted === '1' ? 'replica' : 'replicas'} of ${revision}, has ${has}`;
  },
  'wait.shrink': ({ stage, revision, most, has }) => `${stageName(stage)} wants at most ${sayCount(most, 'replica')} of ${revision}, has ${has}`,
  'wait.terminating': ({ stage, revision, pods }) =>
    pods === 0
      ? `no pod of ${revision} is terminating`
      : `${stageName(stage)} waits for ${pods ?? 'unknown'} terminating ${pods === 1 ? 'pod' : 'pods'} of ${revision} to go`,
  'wait.workload-missing': ({ revision }) => `Deployment ${revision} does not exist yet`,
  'wait.workload-unobserved': ({ revision }) => `Deployment ${revision} has not been looked at by its controller since it changed`,
  'wait.autoscaler-missing': ({ revision }) => `StagePodAutoscaler ${revision} is not there yet`,
  'wait.kept': ({ revision, until }) => `${revision} still serves: its pods are kept until ${until}`,
  'wait.floor': ({ revision, keeps, wished, floor }) => `${revision} keeps ${sayCount(keeps, 'replica')} instead of ${wished}, so that ${floor} stay ready`,
  'wait.stalled': ({ stage, seconds, because }) =>
    `${stageName(stage)} has made no progress for ${seconds} s${because === null ? '' : `: ${sayRollout(because)}`}`,

  'state.stage': ({ stage, revision, percent }) => `stage ${stage} brings ${revision} to ${sayPercent(percent)}`,
  'state.returning': ({ rejected, stable, reason }) =>
    stable.length === 0 ? `${rejected} is aborted: ${reason}` : `${rejected} is aborted: ${reason}; ${stable.join(', ')} takes everything back`,

  'refused.unreadable': ({ field, problem }) => `the rollout cannot be read: ${field} ${problem}`,
  'refused.annotated': ({ annotation }) => `the annotation ${annotation} holds this rollout`,
  'refused.taken': sayTaken,
  'refused.idle': ({ rollout }) => `rollout ${rollout} is idle: nothing is under way`,
  'refused.aborting': () => 'the rollout is being aborted',
  'refused.aborted': () => 'the rollout is aborted already',
  'refused.under-way': ({ stage, verb }) =>
    `stage ${stage} is still under way; ${verb === 'approve' ? 'no gate is closed' : 'there is no hold to advance over'}`,
  'refused.no-gate': ({ because }) => `no gate waits for an approval${because === null ? '' : `: ${sayRollout(because)}`}`,
  'refused.paused-by-policy': () => 'the policy of the rollout pauses it; change the policy',
  'refused.paused-already': () => 'the rollout is paused already',
  'refused.not-paused': () => 'the rollout is not paused',
  'refused.promoted-already': () => 'the rollout is promoted fully already',
  'refused.nothing-aborted': () => 'nothing was aborted that could be tried again',
  'refused.nothing-looser': () => 'no looser policy waits to be decided',
  'refused.no-earlier-revision': () => 'there is no earlier revision to go back to',
  'refused.application-goes': ({ application }) => `a rollback changes the application, and ${application} is being deleted`,
  'refused.no-application': () => 'a rollback changes the application, and this rollout has none; change its target instead',

  'act.one-of-many': ({ verb, given, required }) =>
    `This is ${verb === 'approve' ? 'approval' : 'decision'} ${given} of ${required}. Nothing ${verb === 'loosen' ? 'changes' : 'moves'} until ${required} people have decided the same.`,
  'act.loosens': ({ fields }) =>
    `The policy that was asked for is in force from then on: ${sayList(fields)} ${fields.length === 1 ? 'lets' : 'let'} more through.`,
  'act.pause-ends': () => 'The pause ends.',
  'act.stage-begins': ({ stage }) => `Stage ${stage} begins.`,
  'act.next-stage-unknown': () => 'The next stage is planned when the scales of all revisions are known.',
  'act.gates-hold-again': () => 'Gates and soaks after that stage still apply.',
  'act.revision-changes': ({ revision, from, to, exact, percentFrom, percentTo }) => {
    const share =
      percentFrom === null || percentTo === null ? '' : ` and from ${sayPercent(percentFrom)} to ${sayPercent(percentTo)} of the traffic, by pod ratio`;
    return `${revision} goes from ${from} to ${ABOUT[exact]}${sayCount(to, 'replica')}${share}.`;
  },
  'act.takes-everything': ({ revision, stages }) => {
    const count = stages === 0 ? '' : ` in ${sayCount(stages, 'stage')}`;
    return `${revision} takes over completely${count}, without any further gate or soak.`;
  },
  'act.health-judged': () => 'Health checks still apply.',
  'act.nothing-advances': () => 'Nothing advances until it is resumed.',
  'act.nothing-undone': () => 'Replicas and traffic stay as they are; nothing is undone.',
  'act.deadlines-stand': () => 'Deadlines are suspended.',
  'act.goes-on': ({ gates }) => `The rollout goes on from where it is.${gates ? ' Gates still apply.' : ''}`,
  'act.nowhere-to-go-back': ({ revision }) => `There is no revision to go back to: ${revision} stops where it is and its pods are left for inspection.`,
  'act.nothing-moved-yet': ({ revision }) => `Nothing has moved yet: ${revision} is rejected and no replica changes.`,
  'act.stable-first': ({ stable, rejected }) => `${stable.join(', ')} is scaled up before ${rejected} is scaled down.`,
  'act.shared-objects': ({ stable }) => `Objects that both share, such as ConfigMaps and Services, go back to those of ${stable.join(', ')} at once.`,
  'act.rejected-ends': ({ rejected, stable, delayMs }) =>
    delayMs === 0
      ? `${rejected} goes to 0 replicas as soon as ${stable.join(', ')} has its ready replicas.`
      : `${rejected} still serves for at least ${formatDuration(delayMs)}, then goes to 0 replicas once ${stable.join(', ')} has its ready replicas.`,
  'act.no-rollout-again': ({ rejected }) => `There is no new rollout to ${rejected} until a retry or another change.`,
  'act.set-back': () => 'The application is set back to the revision named, as a change of its own.',
  'act.new-revision': () => 'That makes a new revision, which is rolled out by the same stages and gates.',
  'act.starts-anew': ({ revision, stages }) => `The rollout to ${revision} starts anew${stages === 0 ? '' : `, in ${sayCount(stages, 'stage')}`}.`,
  'act.waits-before-first': () => 'It waits for a person before stage 1.',
};

/** The English of a message about a rollout. */
export function sayRollout<M extends RolloutMessage>(message: M): string {
  // TypeScript cannot see that the entry of an id takes the message of that id; the type of the table says so.
  const say = SENTENCES[message.id] as (message: M) => string;
  return say(message);
}
