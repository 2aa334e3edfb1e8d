import { createHash } from 'node:crypto';
import { bareDigest } from '@/lib/contract/change-rows';
import { PLAN } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toNote } from '@/lib/kube/person-note';
import { toStableJson } from '@/lib/std/stable-json';

/** On an ApplicationRevision: the plan it was accepted with, and the digest of the deletions in that plan. */
export const ACCEPTED = { plan: 'slipway.dev/accepted-plan', deletions: 'slipway.dev/accepted-deletions' } as const;

/** A plan as it travels on an application: its digest, which spec it was made for, and which act it came with. */
export interface SeenPlan {
  readonly text: string;
  /** The same without what the plan was made for: by which it is on record. */
  readonly id: string;
  readonly digest: string;
}

/** The plan that whoever changed the application saw; undefined without one, and for one that was made for another spec. */
export function readSeenPlan({ metadata, spec }: KubeObject): SeenPlan | undefined {
  return readPlanFor(spec, metadata.annotations?.[PLAN.seen]);
}

/** The plan that a revision was accepted with, where it was made for the spec that the application has now. */
export function readAcceptedPlan(revision: KubeObject | undefined, { spec }: KubeObject): SeenPlan | undefined {
  return readPlanFor(spec, revision?.metadata.annotations?.[ACCEPTED.plan]);
}

function readPlanFor(spec: unknown, text: string | undefined): SeenPlan | undefined {
  const [digest, bound, ...rest] = text?.split(' ') ?? [];
  return text === undefined || digest === undefined || bound !== digestOfSpec(spec)
    ? undefined
    : { text, id: [bareDigest(digest), bound, ...rest].join(' '), digest };
}

/**
 * The application with the plan that somebody saw of it, bound to its spec. The act makes two equal plans for equal specs two, so that one
 * that was accepted once does not vouch for the next time.
 */
export function withSeenPlan(
  application: KubeObject,
  { digest, act }: { readonly digest: string; readonly act: string },
  by: { readonly user: string; readonly groups: readonly string[] },
): KubeObject {
  const annotations = { ...application.metadata.annotations, [PLAN.seen]: `${digest} ${digestOfSpec(application.spec)} ${act}`, ...toNote(PLAN, by) };
  return { ...application, metadata: { ...application.metadata, annotations } };
}

/** True once the engine has noted on the revision that the plan was accepted: from then on nothing is compared anew. */
export function isAccepted(plan: SeenPlan, revision: KubeObject | undefined): boolean {
  return revision?.metadata.annotations?.[ACCEPTED.plan] === plan.text;
}

/** By which notes on an application are bound to its spec. */
export function digestOfSpec(spec: unknown): string {
  return `sha256:${createHash('sha256')
    .update(toStableJson(spec ?? null))
    .digest('hex')}`;
}
