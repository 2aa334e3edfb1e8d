import { z } from 'zod';
import { readString } from '@/lib/kube/fields';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import { RELEASE_KIND_NAMES, readReleaseType, releaseKindOf } from './release-kind';

/** What a person may decide about a Helm release. */
export const RELEASE_VERBS = ['sync', 'approve', 'rollback', 'hold', 'lift', 'cancel', 'unlock', 'loosen'] as const;
export type ReleaseVerb = (typeof RELEASE_VERBS)[number];

/** Verbs that want a written reason. */
export const REASONED_VERBS: readonly ReleaseVerb[] = ['rollback', 'hold', 'unlock', 'loosen'];

/** A commit, not shortened. */
export const wholeCommit = z.string().regex(/^[0-9a-f]{40,64}$/, 'must be a full commit hash');

/** The SHA-256 of an archive, not shortened. */
const wholeDigest = z.string().regex(/^[0-9a-f]{64}$/, 'must be a full SHA-256 in lower case');

/** What the screen showed when the person decided. */
export const releasePreconditions = z.object({
  /** Of a rollback or an unlock: the newest revision that Helm had stored. */
  stored: z.number().int().min(1).optional(),
  /** Of a lift: the decision that holds the release. */
  hold: z.string().optional(),
  /** Of an approval: the content of the chart at the commit, as git names it, and a digest of its fetched dependencies; of an archive the version that it was found as. */
  chart: z.string().max(256).optional(),
  /** Of a looser demand: what was in force, and what would be. */
  gate: z.string().max(4000).optional(),
});

/** What says which commit a gate keeps a release at; only the engine makes it. */
export const GATE_VERB = 'gate';

/** The spec of a ReleaseDecision; immutable once created. */
export const releaseDecisionSpec = z.object({
  /** The resource that declares the release; `group` tells the older of two kinds of one name (`toReleaseKindRef`). */
  releaseRef: z.object({ kind: z.string().min(1), group: z.string().optional(), name: z.string().min(1), uid: z.string().min(1) }),
  verb: z.enum(RELEASE_VERBS),
  /** Of a rollback: the stored revision to roll back to. */
  revision: z.number().int().min(1).optional(),
  /** Of an approval: the commit that the release goes to. */
  commit: wholeCommit.optional(),
  /** The same of a chart that is pulled: SHA-256 of the archive that the release goes to. */
  digest: wholeDigest.optional(),
  reason: z.string().max(2000).optional(),
  actor: z.object({ user: z.string().min(1), groups: z.array(z.string()).optional() }),
  seen: releasePreconditions.optional(),
  expiresAt: z.string().optional(),
});
export type ReleaseDecisionSpec = z.infer<typeof releaseDecisionSpec>;

/** The verb of a decision about a release that no resource declares. */
export const UNINSTALL_VERB = 'uninstall';

/** The spec of such a decision, which names the Secret of the newest revision that Helm had stored: where another is the newest, it counts no more. */
export const uninstallDecisionSpec = releaseDecisionSpec.extend({
  releaseRef: z.object({ kind: z.literal('Secret'), name: z.string().min(1), uid: z.string().min(1) }),
  verb: z.literal(UNINSTALL_VERB),
});
export type UninstallDecisionSpec = z.infer<typeof uninstallDecisionSpec>;

/** A person's decision about a release, as the screen sends it. The actor is filled in by the server. */
export const releaseDecisionRequest = z.strictObject({
  kind: z.enum(RELEASE_KIND_NAMES),
  verb: z.enum(RELEASE_VERBS),
  /** uid of the resource that was seen. */
  uid: z.string().min(1),
  revision: z.number().int().min(1).optional(),
  commit: wholeCommit.optional(),
  digest: wholeDigest.optional(),
  reason: z.string().trim().max(2000).optional(),
  seen: releasePreconditions.optional(),
});
export type ReleaseDecisionRequest = z.infer<typeof releaseDecisionRequest>;

/** Deleting the resource of a release, so that Helm uninstalls it. */
export const uninstallRequest = z.strictObject({
  kind: z.enum(RELEASE_KIND_NAMES),
  /** uid of the resource that was seen. */
  uid: z.string().min(1),
  reason: z.string().trim().max(2000).optional(),
});
export type UninstallRequest = z.infer<typeof uninstallRequest>;

/** Uninstalling a release that no resource declares, as it was seen. */
export const uninstallUndeclaredRequest = z.strictObject({
  /** The newest stored revision that was seen, and the uid of its Secret. */
  revision: z.number().int().min(1),
  uid: z.string().min(1),
  reason: z.string().trim().max(2000).optional(),
});
export type UninstallUndeclaredRequest = z.infer<typeof uninstallUndeclaredRequest>;

/** The kind of the resource that a decision is about, of a gate that of its owner. Undefined where it declares no releases. */
export function decidedTypeOf(decision: KubeObject): TypeRef | undefined {
  const [kind, group] = ['kind', 'group'].map((member) => readString(decision, 'spec', 'releaseRef', member));
  const isGate = readString(decision, 'spec', 'verb') === GATE_VERB;
  const owner = isGate ? decision.metadata.ownerReferences?.find((one) => releaseKindOf(one) !== undefined) : undefined;
  return owner === undefined ? readReleaseType({ ...(kind === undefined ? {} : { kind }), group }) : toTypeRef(owner);
}

const toTypeRef = ({ apiVersion, kind }: TypeRef): TypeRef => ({ apiVersion, kind });
