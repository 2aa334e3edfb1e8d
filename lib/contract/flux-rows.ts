import { z } from 'zod';
import { condition } from './application-rows';
import { FLUX_KIND_NAMES, FLUX_RELEASE, FLUX_SOURCE_NAMES, FLUX_VERBS } from './flux-kind';
import { listed } from './lists/listed';
import { releaseRow } from './release-rows';
import { RELEASE_STATES } from './release-state';
import { timelineEntry } from './rollout-rows';

/** Another object by its name; `page` is its kind in addresses, null for one that has no page. */
const reference = z.object({ kind: z.string(), page: z.enum(FLUX_KIND_NAMES).nullable(), ns: z.string(), name: z.string() });
export type FluxReference = z.infer<typeof reference>;

/** One line of the table of sources. */
export const fluxSourceRow = z.object({
  /** `namespace/kind/name`, as in the address of its page. */
  key: z.string(),
  ns: z.string(),
  kind: z.enum(FLUX_SOURCE_NAMES),
  name: z.string(),
  state: z.enum(RELEASE_STATES),
  sentence: z.string(),
  suspended: z.boolean(),
  /** Where it fetches from, without credentials; of a chart which one of which source. */
  url: z.string(),
  /** Branch, tag, range or version that it follows. */
  follows: z.string().nullable(),
  /** What the last artifact holds. */
  revision: z.string().nullable(),
  fetchedAt: z.string().nullable(),
  interval: z.string().nullable(),
  ...listed,
});
export type FluxSourceRow = z.infer<typeof fluxSourceRow>;

/** One thing that was asked of Flux by an annotation, and whether its controller has taken it up. */
const asked = z.object({
  verb: z.enum(['reconcile', 'force', 'reset']),
  token: z.string(),
  at: z.string().nullable(),
  isTaken: z.boolean(),
});

const act = z.object({
  verb: z.enum(FLUX_VERBS),
  /** Why Flux would do nothing about it now; null where it would. */
  why: z.string().nullable(),
  consequences: z.array(z.string()),
});
export type FluxAct = z.infer<typeof act>;

/** What the pages of both have in common. */
const common = {
  uid: z.string(),
  generation: z.number(),
  /** The generation that its controller has come to. */
  observed: z.number().nullable(),
  apiVersion: z.string(),
  asked: z.array(asked),
  acts: z.array(act),
  conditions: z.array(condition),
  timeline: z.array(timelineEntry),
};

export const fluxSourceDetail = fluxSourceRow.extend({
  ...common,
  digest: z.string().nullable(),
  /** Of a chart: what it comes from. */
  from: reference.nullable(),
  /** The Secret with its credentials. */
  secret: z.string().nullable(),
});
export type FluxSourceDetail = z.infer<typeof fluxSourceDetail>;

const storedRelease = z.object({
  key: z.string(),
  version: z.number(),
  status: z.string(),
  chart: z.string(),
  chartVersion: z.string(),
  appVersion: z.string().nullable(),
  digest: z.string().nullable(),
  firstDeployed: z.string().nullable(),
  lastDeployed: z.string().nullable(),
  /** What the tests of the chart came to, by phase: `2 Succeeded`. */
  tests: z.array(z.string()),
});
export type FluxStoredRelease = z.infer<typeof storedRelease>;

export const fluxReleaseDetail = releaseRow.extend({
  kind: z.literal(FLUX_RELEASE),
  ...common,
  /** Where Helm keeps what it released. */
  storage: z.object({ namespace: z.string(), name: z.string() }),
  /** The Secret or ConfigMap that leads to another cluster, where it releases to one. */
  elsewhere: z.string().nullable(),
  account: z.string().nullable(),
  /** The chart as Flux made it from the release, or the source that the release names. */
  source: reference.nullable(),
  lastAttempt: z.object({ revision: z.string().nullable(), action: z.string().nullable() }),
  history: z.array(storedRelease),
  failures: z.object({ all: z.number(), install: z.number(), upgrade: z.number() }),
  /** What Flux does when installing or upgrading fails, a sentence each. */
  remediation: z.array(z.string()),
  dependsOn: z.array(reference),
  /** Where values come from beside those that stand in it: names alone. */
  valuesFrom: z.array(z.string()),
  timeout: z.string().nullable(),
});
export type FluxReleaseDetail = z.infer<typeof fluxReleaseDetail>;
