import { z } from 'zod';
import { DECISION_VERBS, decisionPreconditions } from './stage-decision';

const kubeName = z
  .string()
  .min(1)
  .max(253)
  .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/, 'must be a Kubernetes name: lower-case letters, digits, dashes and dots');

/** Digest of a plan, as a preview tells it. */
export const planDigest = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}(\.[0-9a-f]{14}\.\d{1,9}n?\.(x|[0-9a-f]{0,1000}))?$/, 'must be the digest of a plan, from its preview');

function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
}

/** A person's decision about a rollout, as the screen sends it. Actor and uid are filled by the server. */
export const decisionRequest = z.strictObject({
  verb: z.enum(DECISION_VERBS),
  /** uid of the rollout that was seen. */
  uid: z.string().min(1),
  stage: z.number().int().min(0).optional(),
  revision: z.string().min(1).optional(),
  reason: z.string().trim().max(2000).optional(),
  /** As it was told; what is null there was not shown. */
  seen: z.preprocess(withoutNulls, decisionPreconditions.omit({ plan: true, application: true }).optional()),
  /** Tells what a rollback would do to every object, and does nothing. Of a rollback only. */
  dryRun: z.boolean().optional(),
  /** Digest of the plan of a rollback that was seen: exactly that is done, or nothing. */
  plan: planDigest.optional(),
  /** The state of the application that a rollback was previewed on; another spec there now is a conflict. */
  base: z.strictObject({ uid: z.string().min(1), generation: z.number().int().min(1) }).optional(),
});
export type DecisionRequest = z.infer<typeof decisionRequest>;

/** Accepts what a waiting change would do now, in place of what was seen of it. */
export const acceptRequest = z.strictObject({ uid: z.string().min(1), generation: z.number().int().min(1), plan: planDigest });
export type AcceptRequest = z.infer<typeof acceptRequest>;

/** A change of one component, made on the application as it was seen. */
export const changeRequest = z.strictObject({
  component: z.string().min(1),
  image: z.string().min(1).max(500).optional(),
  replicas: z.number().int().min(0).max(10_000).optional(),
  /** uid and generation of the application that was seen. Another one, or another spec, is a conflict; its status may move on. */
  uid: z.string().min(1).optional(),
  generation: z.number().int().min(1),
  dryRun: z.boolean().optional(),
  /** Digest of the plan that was seen: exactly that is done, or nothing. */
  plan: planDigest.optional(),
});
export type ChangeRequest = z.infer<typeof changeRequest>;

/** A whole application as written in an editor (YAML or JSON text). */
export const applyRequest = z.strictObject({
  manifest: z.string().min(1).max(1_500_000),
  dryRun: z.boolean().optional(),
  /** What the text was written on: that state of the application, or none at all. Anything else there now is a conflict. */
  seen: z.union([z.strictObject({ uid: z.string().min(1), generation: z.number().int().min(1) }), z.literal('absent')]).optional(),
  /** Digest of the plan that was seen: exactly that is done, or nothing. */
  plan: planDigest.optional(),
});
export type ApplyRequest = z.infer<typeof applyRequest>;

/** Sign-in with the token that the server printed, or a cluster token. */
export const signInRequest = z.strictObject({
  token: z.string().min(1).max(20_000),
  /** A command asks, whose session ends with it: it takes no place among those of browsers. */
  command: z.boolean().optional(),
});

/** Where to sign in with the provider. */
export const providerAddress = z.object({ address: z.string() });

/** What the provider sent somebody back with. */
export const providerReturn = z.strictObject({ code: z.string().min(1).max(4096), state: z.string().min(1).max(200) });

/** A sign-in link for another role; on the demonstration only. */
export const linkRequest = z.strictObject({ role: z.enum(['viewer', 'operator', 'approver']) });

/** Namespace and name in a path. */
export const objectPath = z.object({ ns: kubeName, name: kubeName });

/** Who is signed in. */
export const sessionView = z.object({
  user: z.string(),
  groups: z.array(z.string()),
  /** Groups of the sign-in provider that count for nothing, since the server's role does not name them. */
  leftOut: z.array(z.string()).optional(),
  mode: z.enum(['local', 'token', 'oidc']),
  /** True when this session may make links for other roles. */
  mayInvite: z.boolean(),
  expiresAt: z.string(),
});
export type SessionView = z.infer<typeof sessionView>;
