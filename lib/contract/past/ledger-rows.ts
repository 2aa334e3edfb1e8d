import { z } from 'zod';
import { namedObject } from '../named-object';
import { trackerRow } from '../tracker-rows';

/**
 * What one revision has of one object.
 *
 * owned: its tracker lists it and owns it. waiting: it owns it, the newest revision does not list it, so a collection judges it. handed-over: another
 * tracker owns it now. recorded: it is listed, is there, and no tracker owns it. missing: it is listed and not in the cluster. unknown: it is
 * listed, and its kind cannot be read now. deleted: a collection deleted it with this revision, says the record.
 */
export const LEDGER_STATES = ['owned', 'waiting', 'handed-over', 'recorded', 'missing', 'unknown', 'deleted'] as const;
export type LedgerState = (typeof LEDGER_STATES)[number];

/** One revision of the ledger. */
export const ledgerColumn = z.object({
  tracker: z.string(),
  revision: z.string().nullable(),
  state: z.enum([...trackerRow.shape.state.options, 'collected']),
  /** When the tracker was made; of one that was collected, when that was. */
  at: z.string().nullable(),
  /** Objects that it lists; null of one that was collected, whose list went with it. */
  objects: z.number().nullable(),
});
export type LedgerColumn = z.infer<typeof ledgerColumn>;

/** What the ledger of an application consists of. */
export const ledgerHead = z.object({
  key: z.string(),
  /** Objects of all revisions that are shown, each once. */
  total: z.number(),
  /** The newest first. */
  columns: z.array(ledgerColumn),
  /** Revisions that are left out, since there are more than fit. */
  older: z.number(),
  /** Kinds are named as ids begin: `Deployment.apps`. */
  kinds: z.array(z.object({ kind: z.string(), count: z.number() })),
  /** Objects that are so in any revision. */
  states: z.array(z.object({ state: z.enum(LEDGER_STATES), count: z.number() })),
  /** Why deletions of earlier revisions are not shown; null where the record could be read. */
  unread: z.string().nullable(),
});
export type LedgerHead = z.infer<typeof ledgerHead>;

/** One object across the revisions. */
export const ledgerLine = namedObject.extend({
  key: z.string(),
  /** Null where that is unknown. */
  exists: z.boolean().nullable(),
  /** What each revision has of it, in the order of the columns; null where it neither lists it nor deleted it. */
  cells: z.array(z.enum(LEDGER_STATES).nullable()),
});
export type LedgerLine = z.infer<typeof ledgerLine>;

/** Lines of one page. */
export const LEDGER_PAGE = 50;

/** What part of a ledger is asked for. */
export interface LedgerQuery {
  readonly q?: string;
  /** As ids begin. */
  readonly kind?: string;
  /** Only objects that are so in one revision at least. */
  readonly state?: LedgerState;
  readonly page?: number;
}

/** The address text of a query. */
export function formatLedgerQuery({ q, kind, state, page }: LedgerQuery): string {
  const text = new URLSearchParams();
  if (q) text.set('q', q);
  if (kind) text.set('kind', kind);
  if (state) text.set('state', state);
  if (page) text.set('page', String(page));
  return text.toString();
}

/** Reads a query; what it cannot mean is left out. */
export function parseLedgerQuery(params: URLSearchParams): LedgerQuery {
  const text = (name: string) => params.get(name)?.slice(0, 200) || undefined;
  const [q, kind] = [text('q'), text('kind')];
  const state = LEDGER_STATES.find((known) => known === params.get('state'));
  const page = Math.floor(Number(params.get('page') ?? 0));
  return { ...(q ? { q } : {}), ...(kind ? { kind } : {}), ...(state ? { state } : {}), ...(page > 0 && page < 1e6 ? { page } : {}) };
}
