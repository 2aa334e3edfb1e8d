import type { ChangeVerdict } from '@/lib/contract/change-rows';
import { bareDigest } from '@/lib/contract/change-rows';
import { getCondition } from '@/lib/kube/condition';
import { PLAN } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import { readNote } from '@/lib/kube/person-note';
import type { SeenPlan } from '@/server/kube';
import { isConflict, isNotFound } from '@/server/kube';
import type { RunPlan } from '../decide/decide';
import { explainMoved } from '../observe/explain-moved';
import type { Observation } from '../observe/observe';
import { recordPolicies } from '../permission/on-record';
import { permittedNote } from '../permission/permitted';
import { createCopiesReader } from '../plan/copies-reader';
import { planChange } from '../plan/plan-change';
import { ACCEPTED, isAccepted, readAcceptedPlan, readSeenPlan } from '../plan/seen-plan';
import type { Revision } from '../revision';
import type { ActContext } from './context';
import { record, WRITER } from './context';

/** Whether what a pass would do is what somebody saw: nobody saw anything, it is the same, or it is another. */
export type Agreement =
  | { readonly kind: 'unseen' }
  /** `deletions` is the digest of those in the accepted plan; `isNoted` once the revision says that it was accepted. */
  | { readonly kind: 'same'; readonly plan: SeenPlan; readonly deletions: string | undefined; readonly isNoted: boolean }
  | { readonly kind: 'moved'; readonly why: string }
  /** It is the same, and cannot be done: it says itself that an object is not taken, or that its state is not known. */
  | { readonly kind: 'blocked'; readonly why: string };

const BLOCKING: readonly ChangeVerdict[] = ['refused', 'unknown'];

/**
 * Works the plan out again before the first write, and compares it with the one that was seen. A plan that was accepted once stays so. One that
 * cannot be done as it stands is not accepted: once it can, it is another one, and somebody is asked.
 */
export async function agree(context: ActContext, { revision, isNews }: RunPlan, seen: Observation): Promise<Agreement> {
  const { deps, objects, signal } = context;
  const noted = revision.stored?.object;
  // Some clients drop annotations that they do not know: what was accepted counts until the revision is reached.
  const plan = readSeenPlan(seen.object) ?? (isNews ? readAcceptedPlan(noted, seen.object) : undefined);
  if (plan === undefined) return { kind: 'unseen' };
  if (isAccepted(plan, noted)) return { kind: 'same', plan, deletions: noted?.metadata.annotations?.[ACCEPTED.deletions], isNoted: true };
  const reader = createCopiesReader({ objects, cluster: deps.cluster, clock: deps.clock, signal, secrets: seen.inline?.secrets });
  const now = await planChange(seen, { object: seen.object, now: deps.clock.now() }, reader);
  const blocking = now.objects.find(({ verdict }) => BLOCKING.includes(verdict));
  if (bareDigest(now.digest) === bareDigest(plan.digest)) {
    if (blocking !== undefined) return { kind: 'blocked', why: `${blocking.why}; the preview said so, and nothing of the change is applied until it can be` };
    return { kind: 'same', plan, deletions: now.deletions, isNoted: false };
  }
  const digests = `(previewed ${short(plan.digest)}, now ${short(now.digest)})`;
  const told = getCondition(seen.object, 'Applied');
  // Who wrote what has moved is asked of the server once for each pair of plans.
  if (told?.reason === 'PlanMoved' && told.message?.endsWith(digests)) return { kind: 'moved', why: told.message };
  const moved = await explainMoved(context, { plan, now }, seen);
  const why = `${moved}; nothing was applied: compare both plans and accept the current one, or edit the application ${digests}`;
  await recordMoved(context, seen.object, { plan, now: now.digest, why });
  return { kind: 'moved', why };
}

const short = (digest: string) => digest.slice(0, 'sha256:'.length + 12);

async function recordMoved(
  context: ActContext,
  object: KubeObject,
  moved: { readonly plan: SeenPlan; readonly now: string; readonly why: string },
): Promise<void> {
  const { name, uid } = object.metadata;
  await record(context, {
    id: `plan.moved:${uid}:${moved.plan.id}:${bareDigest(moved.now)}`,
    action: 'plan.moved',
    about: toAddress(object),
    message: `nothing of ${name} was applied: ${moved.why}`,
    data: { seen: bareDigest(moved.plan.digest), now: bareDigest(moved.now) },
  });
}

/** The annotations by which a revision says which plan it was accepted with. */
export function acceptance(agreement: Agreement): Readonly<Record<string, string>> {
  return agreement.kind === 'same' ? { [ACCEPTED.plan]: agreement.plan.text, [ACCEPTED.deletions]: agreement.deletions ?? '' } : {};
}

/** Notes on a revision that is there which plan was accepted, and which policies are permitted, before anything is written by them. */
export async function noteOnRevision(context: ActContext, agreement: Agreement, { application }: RunPlan, revision: Revision): Promise<void> {
  const isKnown = agreement.kind !== 'same' || isAccepted(agreement.plan, revision.object);
  const permitted = permittedNote(revision, application);
  const annotations = { ...(isKnown ? {} : acceptance(agreement)), ...permitted };
  if (Object.keys(annotations).length === 0) return;
  if (Object.keys(permitted).length > 0) await recordPolicies(context, application);
  const { resourceVersion } = revision.object.metadata;
  const body = { metadata: { annotations, resourceVersion } };
  await context.deps.cluster.patch(toAddress(revision.object), { type: 'merge', body }, { ...WRITER, signal: context.signal });
}

/** Puts on record that exactly what somebody saw is done. */
export async function recordAcceptance(context: ActContext, agreement: Agreement, { application, revision }: RunPlan): Promise<void> {
  if (agreement.kind !== 'same' || agreement.isNoted) return;
  const who = readNote(application.object, PLAN)?.user ?? 'an unknown user';
  await record(context, {
    id: `plan.accepted:${application.uid}:${agreement.plan.id}`,
    action: 'plan.accepted',
    about: toAddress(application.object),
    message: `${revision.name} is applied as ${who} previewed it: nothing has changed since`,
    data: { plan: bareDigest(agreement.plan.digest), revision: revision.name },
  });
}

/** Takes a plan away once all of it is done, and answers the application without it. */
export async function spend(context: ActContext, agreement: Agreement, object: KubeObject): Promise<KubeObject> {
  if (agreement.kind !== 'same' || readSeenPlan(object)?.text !== agreement.plan.text) return object;
  const { resourceVersion } = object.metadata;
  const body = { metadata: { annotations: { [PLAN.seen]: null, [PLAN.user]: null, [PLAN.groups]: null }, resourceVersion } };
  try {
    return await context.deps.cluster.patch(toAddress(object), { type: 'merge', body }, { ...WRITER, signal: context.signal });
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error)) throw error; // it changed meanwhile; the next pass looks again
    return object;
  }
}
