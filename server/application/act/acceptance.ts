import { bareDigest } from '@/lib/contract/change-rows';
import { PLAN } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import { readAnnotatedUser } from '@/lib/kube/user-annotations';
import { ignoreError, isConflictOrGone } from '@/server/kube';
import type { RunPlan } from '../decide/model';
import type { Obstacle } from '../decide/obstacle';
import type { PlanVerification } from '../observe/verify-plan';
import { recordPolicies } from '../permission/audit-entries';
import { permittedAnnotations } from '../permission/permitted';
import { ACCEPTED, isAccepted, readPreviewedPlan } from '../plan/previewed-plan';
import type { Revision } from '../revision';
import type { ParsedApplication } from '../spec/model';
import type { ActContext } from './context';
import { record, WRITER } from './context';

/** Puts on record, once, that what would be done is no longer what was previewed. */
export async function recordMoved(
  context: ActContext,
  object: KubeObject,
  { why, digests }: Extract<Obstacle, { kind: 'planMoved' }>,
): Promise<void> {
  if (digests === undefined) return;
  const { name, uid } = object.metadata;
  const { id, seen, now } = digests;
  await record(context, {
    id: `plan.moved:${uid}:${id}:${now}`,
    action: 'plan.moved',
    about: toAddress(object),
    message: `nothing of ${name} was applied: ${why}`,
    data: { seen, now },
  });
}

/** The annotations by which a revision says which plan it was accepted with. */
export function acceptance(agreement: PlanVerification): Readonly<Record<string, string>> {
  return agreement.kind === 'same' ? { [ACCEPTED.plan]: agreement.plan.text, [ACCEPTED.deletions]: agreement.deletions ?? '' } : {};
}

interface Accepted {
  readonly application: ParsedApplication;
  readonly revision: Revision;
}

/** Notes on a revision that is there which plan was accepted, and which policies are permitted, before anything is written by them. */
export async function noteOnRevision(context: ActContext, agreement: PlanVerification, { application, revision }: Accepted): Promise<void> {
  const isKnown = agreement.kind !== 'same' || isAccepted(agreement.plan, revision.object);
  const permitted = permittedAnnotations(revision, application);
  const annotations = { ...(isKnown ? {} : acceptance(agreement)), ...permitted };
  if (Object.keys(annotations).length === 0) return;
  if (Object.keys(permitted).length > 0) await recordPolicies(context, application);
  const { resourceVersion } = revision.object.metadata;
  const body = { metadata: { annotations, resourceVersion } };
  await context.deps.cluster.patch(toAddress(revision.object), { type: 'merge', body }, { ...WRITER, signal: context.signal });
}

/** Puts on record that exactly what somebody saw is done. */
export async function recordAcceptance(
  context: ActContext,
  agreement: PlanVerification,
  { application, revision }: RunPlan,
): Promise<void> {
  if (agreement.kind !== 'same' || agreement.isNoted) return;
  const who = readAnnotatedUser(application.object, PLAN)?.user ?? 'an unknown user';
  await record(context, {
    id: `plan.accepted:${application.uid}:${agreement.plan.id}`,
    action: 'plan.accepted',
    about: toAddress(application.object),
    message: `${revision.name} is applied as ${who} previewed it: nothing has changed since`,
    data: { plan: bareDigest(agreement.plan.digest), revision: revision.name },
  });
}

/** Takes a plan away once all of it is done, and answers the application without it. */
export async function clearPreviewedPlan(context: ActContext, agreement: PlanVerification, object: KubeObject): Promise<KubeObject> {
  if (agreement.kind !== 'same' || readPreviewedPlan(object)?.text !== agreement.plan.text) return object;
  const { resourceVersion } = object.metadata;
  const body = { metadata: { annotations: { [PLAN.seen]: null, [PLAN.user]: null, [PLAN.groups]: null }, resourceVersion } };
  const options = { ...WRITER, signal: context.signal };
  const taken = await ignoreError(isConflictOrGone, context.deps.cluster.patch(toAddress(object), { type: 'merge', body }, options));
  return taken ?? object; // it changed meanwhile; the next pass looks again
}
