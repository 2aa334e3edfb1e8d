import { z } from 'zod';
import { contentComparison, nondeterministic, planned } from './release-comparison';
import { RELEASE_KIND_NAMES } from './release-kind';
import { planDigest } from './requests';

const MAX_CHARACTERS = 1_000_000;

/** What a plan hangs on; each told as a digest, by which one sees what moved and nothing else. */
export const PLAN_PARTS = ['chart', 'values', 'stored', 'helm', 'account', 'objects'] as const;
export type PlanPart = (typeof PLAN_PARTS)[number];

/** What releasing a resource would do, as it can be promised. */
export const releasePlan = contentComparison.extend({
  /** The digest that travels with the change. */
  plan: z.string(),
  parts: z.record(z.enum(PLAN_PARTS), z.string()),
  /** The newest stored revision; null where nothing is stored. */
  from: z.number().nullable(),
  /** The commit or version of the chart. */
  revision: z.string(),
  /** No part of the promise. */
  nondeterministic,
  /** @deprecated An older name of `nondeterministic`, for one release more. */
  eachTime: nondeterministic.optional(),
  /** Objects that the chart has no more and Helm leaves in place, because they say so. */
  left: z.array(planned),
});
export type ReleasePlan = z.infer<typeof releasePlan>;

/** What of a resource people edit: its values, and the version or branch of its chart. */
export const editableRelease = z.object({
  uid: z.string(),
  generation: z.number(),
  /** The values as YAML, those of Secrets masked. */
  values: z.string(),
  /** The field of `spec.chart` that may be changed; null where the server decides which chart it is. */
  chart: z.object({ field: z.enum(['version', 'ref']), value: z.string() }).nullable(),
  /** What the chart says of its values, as JSON Schema; null where it says nothing, or what it says cannot be shown. */
  schema: z.record(z.string(), z.unknown()).nullable(),
  /** Why what the chart says cannot be shown; null where it can, or says nothing. */
  schemaLacks: z.string().nullable(),
});
export type EditableRelease = z.infer<typeof editableRelease>;

const seen = {
  kind: z.enum(RELEASE_KIND_NAMES),
  /** uid and generation of the resource that was seen. Another one, or another spec, is a conflict. */
  uid: z.string().min(1),
  generation: z.number().int().min(1),
};

/** Other values, or another version or branch of the chart, on the resource as it was seen. */
export const releaseEditRequest = z.strictObject({
  ...seen,
  values: z.string().max(MAX_CHARACTERS),
  chart: z.string().trim().min(1).max(250).optional(),
  dryRun: z.boolean().optional(),
  /** Digest of the plan that was seen: exactly that is done, or nothing. A change wants one. */
  plan: planDigest.optional(),
});
export type ReleaseEditRequest = z.infer<typeof releaseEditRequest>;

/** Both plans of a change of a release that waits. */
export const movedReleasePlan = z.object({
  uid: z.string(),
  generation: z.number(),
  seen: z.object({ plan: z.string(), by: z.string().nullable(), at: z.string().nullable(), preview: releasePlan.nullable() }),
  now: releasePlan,
  /** What moved between the two; empty where what was seen is not kept any more. */
  moved: z.array(z.enum(PLAN_PARTS)),
});
export type MovedReleasePlan = z.infer<typeof movedReleasePlan>;

/** Accepts what a waiting change of a release would do now. */
export const acceptReleasePlan = z.strictObject({ ...seen, plan: planDigest });
export type AcceptReleasePlan = z.infer<typeof acceptReleasePlan>;
