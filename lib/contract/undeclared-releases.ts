import { z } from 'zod';
import { objectAddress } from './release-comparison';
import { DECISION_PHASES } from './stage-decision';

/** Where Helm keeps releases in a cluster. Those in ConfigMaps are seen, and not read. */
export const HELM_STORAGES = ['secrets', 'configmaps'] as const;

/** The resource that declared a release before, by the mark on its objects, whether it still exists, and whether Helm uninstalls the release since it does not. */
const declaredBefore = z.object({
  kind: z.string(),
  ns: z.string(),
  name: z.string(),
  exists: z.boolean(),
  /** That nobody can tell whether it exists, and what it declares: its kind is not served, or may not be listed. */
  isUnread: z.boolean().optional(),
  isUninstalling: z.boolean(),
});
export type DeclaredBefore = z.infer<typeof declaredBefore>;

/** The newest decision to uninstall a release, since its newest revision was stored. */
const uninstallView = z.object({
  user: z.string(),
  phase: z.enum(DECISION_PHASES),
  message: z.string(),
  at: z.string(),
  /** Whether what was decided has been carried out, or has failed. */
  isOver: z.boolean(),
});

/** How often pages ask for them. */
export const UNDECLARED_MS = 30_000;

const undeclaredRelease = z.object({
  ns: z.string(),
  name: z.string(),
  /** The newest one that is stored. */
  revision: z.number(),
  /** What Helm says of it, in its own words. */
  status: z.string(),
  storedAt: z.string().nullable(),
  storage: z.enum(HELM_STORAGES),
  /** Null where no resource is known to have declared it: somebody called Helm by hand. */
  declaredBefore: declaredBefore.nullable(),
  uninstall: uninstallView.nullable(),
});

/** The releases that Helm keeps and no resource declares: shown, and driven by nobody. */
export const undeclaredReleases = z.object({
  releases: z.array(undeclaredRelease),
  /** What could not be read, so that there may be others, or some of these may be declared after all. */
  why: z.string().nullable(),
});
export type UndeclaredReleases = z.infer<typeof undeclaredReleases>;

/** One of them, with what uninstalling it does. */
export const undeclaredDetail = undeclaredRelease.extend({
  /** Of the Secret that its newest revision is stored in. */
  uid: z.string(),
  chart: z.object({ name: z.string(), version: z.string() }).nullable(),
  /** As whom Helm would run: a ServiceAccount of the namespace, or null for the server. */
  account: z.string().nullable(),
  /** What Helm would delete, and what the chart says to keep. */
  objects: z.array(objectAddress.extend({ isKept: z.boolean() })),
  /** What Helm runs before and after that. */
  hooks: z.array(objectAddress),
  /** Why the signed-in person, or anybody now, may not uninstall it; null where they may. */
  refusal: z.string().nullable(),
});
export type UndeclaredDetail = z.infer<typeof undeclaredDetail>;
