import { createHash } from 'node:crypto';
import type { Finding } from '@/lib/contract/finding';
import type { EngineMode, InboxRow, StatusRow } from '@/lib/contract/system-rows';
import { toOldEngineMode } from '@/lib/contract/system-rows';
import type { Instant } from '@/lib/std/instant';
import { toIso } from '@/lib/std/instant';
import type { ReconcileStats } from '@/server/chartsync';
import type { ControllerStats } from '@/server/framework';
import type { CallFigures } from '@/server/kube';
import type { EventLoopStats } from '@/server/platform';
import type { ComputeOptions, PolledKind, RuleSourceState } from '@/server/status';
import type { StaleData } from '../freshness';

/** Who acts, as far as this replica knows. */
export interface LeadershipFacts {
  readonly identity: string;
  readonly holder: string | undefined;
  readonly since: Instant | undefined;
  /** The number of shards in force; undefined while nobody divides the keys. */
  readonly inForce: number | undefined;
  readonly shards: readonly { readonly index: number; readonly holder: string | undefined; readonly mine: boolean }[];
  /** Since when, and by what, looks at the Leases and writes of them fail. */
  readonly failure: { readonly since: Instant; readonly reason: string } | undefined;
}

/** What the process is, as far as screens say it. */
export interface ProcessFacts {
  readonly cluster: {
    readonly kind: 'embedded' | 'remote';
    readonly name: string;
    readonly version: string | null;
    readonly id?: string | null;
  };
  /** How each engine stands, by its name. */
  readonly engines: () => Readonly<Record<string, EngineMode>>;
  /** Set while nothing can be written to the record; absent where nobody says. */
  readonly record?: () => StatusRow['record'];
  /** Why the cluster would not keep a field of a kind; null when it would. */
  readonly dropped: (kind: string, field: string) => string | null;
  /** What of the installation is not in order. */
  readonly findings: () => readonly Finding[];
  readonly startedAt: string;
  /** How long the turns of the event loop were; absent where nobody measures them. */
  readonly eventLoop?: () => EventLoopStats;
  readonly leader: () => boolean;
  /** Who acts on what; absent where no other replica can be. */
  readonly leadership?: () => LeadershipFacts;
  readonly controllers: () => readonly ControllerStats[];
  /** Calls to the API server in the last minute; absent where nobody counts them. */
  readonly calls?: () => CallFigures;
  /** Kinds that may not be watched and are polled; absent where nobody polls. */
  readonly polled?: () => readonly PolledKind[];
  /** What the loops of chart sync did; absent where nobody says. */
  readonly charts?: () => ReconcileStats;
  /** The status rules in force and where they were read; absent where nobody says. */
  readonly statusRules?: { readonly options: ComputeOptions; readonly sources: () => readonly RuleSourceState[] };
}

/** What the shell shows on every page. */
export function toStatusRow(
  facts: ProcessFacts,
  seen: {
    readonly trouble: StaleData | undefined;
    readonly reachable: boolean;
    readonly inbox: Iterable<InboxRow>;
    /** Null where the reader may see none anywhere. */
    readonly applications: number | null;
    readonly namespaces: readonly string[];
  },
): StatusRow {
  const engines = { ...facts.engines() };
  const counts = seen.applications === null ? null : { waits: 0, failing: 0, moving: 0, applications: seen.applications };
  const inbox = [...seen.inbox];
  if (counts !== null) for (const row of inbox) counts[row.group]++;
  return {
    key: 'status',
    cluster: { ...facts.cluster, id: facts.cluster.id ?? null },
    reachable: seen.reachable,
    trouble: seen.trouble === undefined ? null : { since: toIso(seen.trouble.since), sentence: seen.trouble.sentence },
    counts,
    waiting: nameWaiting(inbox),
    namespaces: [...seen.namespaces].sort(),
    engines,
    standings: Object.fromEntries(Object.entries(engines).map(([name, engine]) => [name, toOldEngineMode(engine)])),
    record: facts.record?.() ?? null,
  };
}

/** A short text that changes with what waits and with who may decide it. */
function nameWaiting(inbox: readonly InboxRow[]): string {
  const waiting = inbox.filter(({ group }) => group === 'waits').map(({ key, title, decider }) => [key, title, decider]);
  return waiting.length === 0 ? '' : createHash('sha256').update(JSON.stringify(waiting)).digest('base64url').slice(0, 16);
}
