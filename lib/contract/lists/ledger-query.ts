/**
 * What one revision has of one object.
 *
 * owned: its tracker lists it and owns it. waiting: it owns it, the newest revision does not list it, so a collection judges it. handed-over: another
 * tracker owns it now. recorded: it is listed, is there, and no tracker owns it. missing: it is listed and not in the cluster. unknown: it is
 * listed, and its kind cannot be read now. deleted: a collection deleted it with this revision, says the record.
 */
export const LEDGER_STATES = ['owned', 'waiting', 'handed-over', 'recorded', 'missing', 'unknown', 'deleted'] as const;
export type LedgerState = (typeof LEDGER_STATES)[number];

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
