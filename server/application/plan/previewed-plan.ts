import { PLAN } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import { toUserAnnotations } from '@/lib/kube/user-annotations';
import type { PreviewedPlan } from '@/server/kube';
import { readPlanFor, toPlanText } from '@/server/kube';

/** On an ApplicationRevision: the plan it was accepted with, and the digest of the deletions in that plan. */
export const ACCEPTED = { plan: 'slipway.dev/accepted-plan', deletions: 'slipway.dev/accepted-deletions' } as const;

/** The plan that whoever changed the application saw; undefined without one, and for one that was made for another spec. */
export function readPreviewedPlan({ metadata, spec }: KubeObject): PreviewedPlan | undefined {
  return readPlanFor(spec, metadata.annotations?.[PLAN.seen]);
}

/** The plan that a revision was accepted with, where it was made for the spec that the application has now. */
export function readAcceptedPlan(revision: KubeObject | undefined, { spec }: KubeObject): PreviewedPlan | undefined {
  return readPlanFor(spec, revision?.metadata.annotations?.[ACCEPTED.plan]);
}

/** The application with the plan that somebody saw of it, bound to its spec. */
export function withPreviewedPlan(
  application: KubeObject,
  plan: { readonly digest: string; readonly act: string },
  by: { readonly user: string; readonly groups: readonly string[] },
): KubeObject {
  const annotations = {
    ...application.metadata.annotations,
    [PLAN.seen]: toPlanText(application.spec, plan),
    ...toUserAnnotations(PLAN, by),
  };
  return { ...application, metadata: { ...application.metadata, annotations } };
}

/** True once the engine has noted on the revision that the plan was accepted: from then on nothing is compared anew. */
export function isAccepted(plan: PreviewedPlan, revision: KubeObject | undefined): boolean {
  return revision?.metadata.annotations?.[ACCEPTED.plan] === plan.text;
}
