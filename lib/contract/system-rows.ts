import { z } from 'zod';
import { finding } from './finding';
import { health, STATUS_POLICIES } from './health';
import { decider } from './inbox/assignees';
import { RELEASE_STATES } from './release-state';

/** One thing in the inbox, worst and most urgent first. */
export const inboxRow = z.object({
  key: z.string(),
  /** waits: for a person · failing · moving. */
  group: z.enum(['waits', 'failing', 'moving']),
  kind: z.enum(['rollout', 'application', 'release', 'source', 'tracker', 'cluster']),
  ns: z.string(),
  name: z.string(),
  title: z.string(),
  /** The sentence: why it waits, what fails, what moves. */
  sentence: z.string(),
  health,
  /** Of a Helm release, how it stands to what declares it: objects of one that drifted may all be healthy. */
  release: z.enum(RELEASE_STATES).optional(),
  since: z.string().nullable(),
  /** Of what waits: who lets it go on. */
  decider: decider.optional(),
  /** Page to open. */
  href: z.string(),
});
export type InboxRow = z.infer<typeof inboxRow>;

/** One entry of the record. */
export const activityRow = z.object({
  key: z.string(),
  at: z.string(),
  actor: z.string(),
  action: z.string(),
  kind: z.string(),
  ns: z.string().nullable(),
  name: z.string(),
  message: z.string(),
});
export type ActivityRow = z.infer<typeof activityRow>;

/** Health of one watch, for the engine page. */
export const watchView = z.object({
  /** Group, kind and scope: unique among the watches. */
  key: z.string(),
  kind: z.string(),
  /** Set where only a namespace or a selection is watched. */
  scope: z.string().nullable(),
  state: z.enum(['listing', 'watching', 'retrying', 'refused', 'missing', 'stopped']),
  /** While it retries: why, and since when. */
  reason: z.string().nullable(),
  since: z.string().nullable(),
  objects: z.number(),
  lastContactAt: z.string().nullable(),
});
export type WatchView = z.infer<typeof watchView>;

/** A kind that may not be watched and is polled instead, for the engine page. */
export const pollView = z.object({
  key: z.string(),
  kind: z.string(),
  apiVersion: z.string(),
  /** What the server refuses, and how it says so. */
  verb: z.enum(['list', 'watch']),
  reason: z.string(),
  everyMs: z.number(),
  /** The last round: groups (kind and namespace), LISTs, reads of single objects; null before the first. */
  round: z
    .object({
      at: z.string(),
      groups: z.number(),
      lists: z.number(),
      gets: z.number(),
      tookMs: z.number(),
      lastError: z.string().nullable(),
    })
    .nullable(),
});
export type PollView = z.infer<typeof pollView>;

/** An object that a controller speaks of, and the page that shows it. */
const keyView = z.object({ key: z.string(), href: z.string().nullable() });

export const controllerView = z.object({
  name: z.string(),
  /** Keys ready and not taken up. */
  depth: z.number(),
  /** Keys of other shards: another replica acts on them, or none does. `aside` is their name of before, for one release more. */
  deferred: z.number(),
  aside: z.number().optional(),
  active: z.number(),
  passes: z.number(),
  failures: z.number(),
  passesPerMinute: z.number(),
  failuresPerMinute: z.number(),
  /** Duration of the newest passes in milliseconds; null before the first. */
  tookMs: z.object({ p50: z.number(), p95: z.number(), p99: z.number() }).nullable(),
  /** The ready key that has been waiting longest. */
  oldest: keyView.extend({ waitedMs: z.number() }).nullable(),
  /** Objects whose passes an annotation holds: the first of them, and how many. */
  paused: z.array(keyView.extend({ annotation: z.string() })),
  pausedCount: z.number(),
  lastError: keyView.extend({ message: z.string(), at: z.string() }).nullable(),
  /** Kinds that may not be listed, with what the server says: it does not run before they may. */
  waitsFor: z.array(z.object({ kind: z.string(), reason: z.string(), namespaces: z.array(z.string()).readonly().optional() })),
});
export type ControllerView = z.infer<typeof controllerView>;

/** Calls to the API server in the last minute. */
export const callsView = z.object({
  verbs: z.array(
    z.object({
      verb: z.string(),
      ok: z.number(),
      /** Answered with 4xx. */
      refused: z.number(),
      /** Answered with 5xx. */
      failed: z.number(),
      unanswered: z.number(),
    }),
  ),
  /** The one that took longest until the head of its answer, watches not counted. */
  slowest: z.object({ what: z.string(), tookMs: z.number(), at: z.string() }).nullable(),
  /** Calls that waited for their turn under the rate limit. */
  throttled: z.object({ calls: z.number(), longestMs: z.number() }),
});
export type CallsView = z.infer<typeof callsView>;

/** Who acts, where several replicas may run. */
export const leadershipView = z.object({
  identity: z.string(),
  holder: z.string().nullable(),
  /** Since when this replica leads; null while it does not. */
  since: z.string().nullable(),
  /** Into how many shards those who act divide the keys; null while nobody does. */
  inForce: z.number().nullable(),
  shards: z.array(z.object({ index: z.number(), holder: z.string().nullable(), mine: z.boolean() })),
  /** Since when the Leases cannot be read or written, and why; null while they can. */
  failure: z.object({ since: z.string(), reason: z.string() }).nullable().default(null),
});
export type LeadershipView = z.infer<typeof leadershipView>;

/** By what rules the status of objects is told, beside those of kstatus. */
export const statusRulesView = z.object({
  /** Kinds and families that the server itself has a rule for, less those that a team's own replace. */
  house: z.number(),
  /** Files, folders and ConfigMaps of a team, as the settings name them. */
  sources: z.array(
    z.object({
      setting: z.string(),
      place: z.string(),
      keys: z.array(z.string()),
      /** When what is in force was read; null until then. */
      readAt: z.string().nullable(),
      /** What is wrong with what stands there now; what was read before stays in force. */
      fault: z.object({ since: z.string(), sentences: z.array(z.string()) }).nullable(),
    }),
  ),
  policies: z.array(z.enum(STATUS_POLICIES)),
});
export type StatusRulesView = z.infer<typeof statusRulesView>;

/** What the turns of the last minute did with their time: most in one turn, and percent of the time. For the rest they were blocked. */
const turnSplitView = z.object({
  workMs: z.number(),
  /** Of work in turns with more than 50 ms of it. */
  longWorkPercent: z.number(),
  /** For a processor. */
  waitMs: z.number(),
  /** For a processor, between turns too. */
  waitPercent: z.number(),
  blockedMs: z.number(),
});

/** How long the turns of the event loop were in the last minute, and the percent of the time in those over 50 ms. */
const eventLoopView = z.object({
  longestMs: z.number(),
  longPercent: z.number(),
  /** Null where the system does not tell what a turn did with its time. */
  split: turnSplitView.nullable(),
});
export type EventLoopView = z.infer<typeof eventLoopView>;

/** A copy of a git repository of charts. */
const mirrorView = z.object({
  id: z.string(),
  state: z.enum(['new', 'cloned', 'ready', 'unconfigured']),
  why: z.string().nullable(),
  failures: z.number(),
  fetchedAt: z.string().nullable(),
  nextAt: z.string().nullable(),
});

const chartsView = z.object({
  dryRuns: z.number(),
  /** Comparisons that needed none, since nothing had changed. `spared` is its name of before, for one release more. */
  dryRunsSkipped: z.number(),
  spared: z.number().optional(),
  acts: z.number(),
  failures: z.number(),
  mirrors: z.array(mirrorView).default([]),
});

export const engineRow = z.object({
  key: z.string(),
  watches: z.array(watchView),
  polls: z.array(pollView),
  controllers: z.array(controllerView),
  startedAt: z.string(),
  /** Null where nobody measures it. `turns` is its name of before, for one release more. */
  eventLoop: eventLoopView.nullable(),
  turns: eventLoopView.nullable().optional(),
  /** What the loops of chart sync did on this replica since it began; null where nobody says. */
  charts: chartsView.nullable().default(null),
  leader: z.boolean(),
  /** Null where no other replica can be. */
  leadership: leadershipView.nullable(),
  /** Null where nobody counts them. */
  calls: callsView.nullable(),
  /** Null where nobody says. */
  statusRules: statusRulesView.nullable(),
  /** What of the installation is not in order. */
  findings: z.array(finding),
});
export type EngineRow = z.infer<typeof engineRow>;

/** The mode of an engine: whether it drives, only observes because another controller does its work, is stopped, or has nothing to do as it is configured; why, unless it drives. */
export const engineMode = z.object({
  mode: z.enum(['drive', 'observe', 'stopped', 'off']),
  why: z.string().nullable(),
  /** Why it does nothing for one of its kinds while it drives the others; absent where it drives all. */
  kinds: z.record(z.string(), z.string()).optional(),
});
export type EngineMode = z.infer<typeof engineMode>;

/** What clients of the release before read: `stopped` was `held`. */
export const oldEngineMode = z.object({ mode: z.enum(['drive', 'observe', 'held', 'off']), why: z.string().nullable() });

/** The mode as `standing` and `standings` give it, for one release more. */
export function toOldEngineMode({ mode, why }: EngineMode): z.infer<typeof oldEngineMode> {
  return { mode: mode === 'stopped' ? 'held' : mode, why };
}

/** What the shell shows everywhere: which cluster, is it reachable, what is simulated. */
export const statusRow = z.object({
  key: z.string(),
  cluster: z.object({
    kind: z.enum(['embedded', 'remote']),
    name: z.string(),
    version: z.string().nullable(),
    /** What addresses name it by; null where nobody knows. */
    id: z.string().nullable().default(null),
  }),
  reachable: z.boolean(),
  /** Set while the API server does not answer or a watch is lost. */
  trouble: z.object({ since: z.string(), sentence: z.string() }).nullable(),
  /** Of what the reader may see; null for one who may see no application anywhere. */
  counts: z.object({ waits: z.number(), failing: z.number(), moving: z.number(), applications: z.number() }).nullable(),
  /** Names what waits and who may decide it: another text once either changes, by which whose turn it is is asked again. */
  waiting: z.string().default(''),
  namespaces: z.array(z.string()),
  /** The mode of each engine, by its name. */
  engines: z.record(z.string(), engineMode),
  /** @deprecated An older name of `engines`, for one release more. */
  standings: z.record(z.string(), oldEngineMode).optional(),
  /** Set while nothing can be written to the record; `full` when no more acts of engines can wait for it. */
  record: z.object({ since: z.string(), sentence: z.string(), full: z.boolean() }).nullable().default(null),
});
export type StatusRow = z.infer<typeof statusRow>;
