import { z } from 'zod';
import { LEDGER_STATES } from '../lists/ledger-query';
import { namedObject } from '../named-object';
import { trackerRow } from '../tracker-rows';

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
