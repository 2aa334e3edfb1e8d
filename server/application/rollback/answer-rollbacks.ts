import { AppError, isAppError, messageOf } from '@/lib/contract/app-error';
import type { StageDecisionSpec } from '@/lib/contract/stage-decision';
import { readString } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { controllerOf, describeObject, toAddress } from '@/lib/kube/object';
import { withoutSystemGroups } from '@/lib/kube/user-annotations';
import { parseInstant } from '@/lib/std/instant';
import { formatRollout } from '@/lib/words/format-rollout';
import { getApiStatus, ignoreNotFound, isConflict, isImpersonationRefused, retryOnConflict } from '@/server/kube';
import { evaluateRollback, lostPolicyReason } from '@/server/rollout';
import type { ActContext } from '../act/context';
import { WRITER } from '../act/context';
import { answer } from '../act/decisions';
import type { Observation, ObservedDecision } from '../observe/observe';
import { observeAs } from '../observe/observe';
import { explainForbidden } from '../permission/requester';
import { rightsOfChange } from '../permission/rights-of-change';
import { writeWithAudit } from '../write-with-audit';
import { isRolledBackBy, rollbackTarget, rollbackWrite, rolledBackTo } from './rolled-back';

/** How long the console may take to carry out what was decided in it, where the server may not act as people. */
const CONSOLE_MS = 30_000;

type Verdict = Pick<ReturnType<typeof evaluateRollback>, 'phase' | 'message'>;

/** What a rollback was judged by, read from the server and not from copies. */
interface Scene {
  readonly decision: ObservedDecision;
  readonly application: KubeObject;
  readonly rollout: KubeObject;
}

/**
 * Carries out the rollbacks that wait, whoever made them and by whatever way: the application is set back as the person who decided it, and
 * then the decision is accepted. Answers whether the application was written, so that what was seen of it is old, or somebody else is to write it.
 *
 * Every step may be repeated. The write names the decision, so that one that was carried out is accepted after a crash, and not done again.
 */
export async function answerRollbacks(context: ActContext, seen: Observation): Promise<'written' | 'awaited' | undefined> {
  const waiting = seen.decisions.filter(isWaiting).sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
  let isAwaited = false;
  for (const decision of waiting) {
    const outcome = await retryOnConflict(() => carryOut(context, decision, seen));
    if (outcome === undefined) continue;
    if (outcome === 'awaited') {
      isAwaited = true;
      continue;
    }
    await answer(context, decision, outcome.phase, outcome.message);
    if (outcome.isWritten) return 'written';
  }
  return isAwaited ? 'awaited' : undefined;
}

const isWaiting = ({ spec, phase }: ObservedDecision) => phase === 'Pending' && spec.verb === 'rollback' && spec.rolloutRef !== undefined;
const orderOf = ({ object: { metadata } }: ObservedDecision) => `${metadata.creationTimestamp} ${metadata.name}`;

/** Undefined where there is nothing to answer: somebody did, or something it is about went. Awaited while only the console can write as the person. */
async function carryOut(
  context: ActContext,
  decision: ObservedDecision,
  seen: Observation,
): Promise<(Verdict & { readonly isWritten?: true }) | 'awaited' | undefined> {
  const { spec, object } = decision;
  const { namespace = '', uid = '' } = object.metadata;
  const live = await read(context, toAddress(object));
  const application = await read(context, toAddress(seen.object));
  const rollout = await read(context, { ...KINDS.rolloutOrchestrator, namespace, name: spec.rolloutRef?.name ?? '' });
  if (live === undefined || application === undefined || rollout === undefined) return undefined;
  if (live.metadata.uid !== uid) return undefined; // another one by its name, which is judged once a copy shows it
  if ((readString(live, 'status', 'phase') ?? 'Pending') !== 'Pending') return undefined;
  const isDone = isRolledBackBy(application, uid);
  const verdict = evaluateRollback({ spec, rollout, isDone }, context.deps.clock.now());
  if (isDone || verdict.phase !== 'Accepted') return verdict;
  const scene = { decision, application, rollout };
  try {
    const refused = refusalReason(context, scene) ?? (await setBack(context, { ...scene, seen, message: verdict.message }));
    return refused === undefined ? { ...verdict, isWritten: true } : { phase: 'Rejected', message: refused };
  } catch (error) {
    if (isImpersonationRefused(error) && isYoung(context, object)) return 'awaited';
    const why = refusalIn(error, spec.actor.user);
    if (why === undefined) throw error;
    return { phase: 'Rejected', message: why };
  }
}

/** Why it may not be carried out, beside what the rollout says. */
function refusalReason({ deps }: ActContext, { decision: { spec }, application, rollout }: Scene): string | undefined {
  const { seen, actor } = spec;
  const { uid, generation, deletionTimestamp } = application.metadata;
  const decisionsBlockedReason =
    deps.decisionsBlockedReason?.('rollback') ?? (deps.dropped ? lostPolicyReason(rollout, deps.dropped) : null);
  if (decisionsBlockedReason !== null) return decisionsBlockedReason;
  if (controllerOf(rollout)?.uid !== uid) return formatRollout({ id: 'refused.no-application' });
  const what = describeObject({ kind: application.kind, ...application.metadata });
  if (deletionTimestamp !== undefined) return `${what} is being deleted`;
  const base = seen?.application;
  if (base !== undefined && (base.uid !== uid || base.generation !== generation))
    return `${what} has changed since it was reviewed; review it and decide again`;
  const isSystem = actor.user.startsWith('system:') && !actor.user.startsWith('system:serviceaccount:');
  return isSystem
    ? `a rollback is written as the person who decides it, and no one may act as ${actor.user}; decide it as a person`
    : undefined;
}

interface Wanted extends Scene {
  readonly seen: Observation;
  readonly message: string;
}

/** Writes the application as the person. Answers why not, where they may not have in it what the revision had. */
async function setBack(
  context: ActContext,
  { decision: { object, spec }, application, seen, message }: Wanted,
): Promise<string | undefined> {
  const { deps, signal } = context;
  const { user } = spec.actor;
  const person = { user, groups: spec.actor.groups ?? [] };
  const next = rolledBackTo(application, await revisionOf(context, application, spec));
  const needed = rightsOfChange(observeAs(seen, next), deps.clock.now());
  const unheld = needed && (await explainForbidden(context, needed, person));
  if (unheld !== undefined) return unheld;
  const by = { user, groups: withoutSystemGroups(person.groups) };
  signal.throwIfAborted();
  const writer = { by, cluster: deps.cluster.as(by), fieldManager: WRITER.fieldManager, record: deps.record, now: deps.clock.now() };
  const decision = object.metadata.uid ?? '';
  await writeWithAudit(writer, rollbackWrite(next, { decision, message, plan: spec.seen?.plan }));
  return undefined;
}

async function revisionOf(context: ActContext, application: KubeObject, { revision = '' }: StageDecisionSpec): Promise<KubeObject> {
  const name = rollbackTarget(application, revision);
  const { namespace = '' } = application.metadata;
  const found = await read(context, { ...KINDS.applicationRevision, namespace, name });
  if (found === undefined)
    throw new AppError('not-found', `there is no ${describeObject({ ...KINDS.applicationRevision, namespace, name })}`);
  return found;
}

async function read({ deps, signal }: ActContext, at: ObjectAddress): Promise<KubeObject | undefined> {
  return ignoreNotFound(deps.cluster.get(at, { signal }));
}

/** A console in which the person is signed in with a token of their own writes right after it decided. */
function isYoung({ deps }: ActContext, { metadata: { creationTimestamp = '' } }: KubeObject): boolean {
  const since = parseInstant(creationTimestamp);
  return since !== undefined && deps.clock.now() - since < CONSOLE_MS;
}

/** What will not do however often it is tried: a refusal of ours, or of the API server. Undefined for what may pass. */
function refusalIn(error: unknown, user: string): string | undefined {
  if (isImpersonationRefused(error))
    return `the server may not impersonate ${user}, so it could not roll the application back for them; decide it in the console, signed in with a token of the cluster, or change the application: ${messageOf(error)}`;
  if (isAppError(error)) return ['invalid', 'rejected', 'not-found'].includes(error.code) ? error.message : undefined;
  const code = getApiStatus(error)?.code ?? 500;
  const isFinal = [400, 403, 413, 422].includes(code) && !isConflict(error);
  return isFinal ? `it could not be written as the person who decided it: ${messageOf(error)}` : undefined;
}
