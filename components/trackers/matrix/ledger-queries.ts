import { liveQuery } from '@/components/live/live-query';
import { ledgerHead, ledgerLine } from '@/lib/contract/history/ledger-rows';
import type { LedgerQuery } from '@/lib/contract/lists/ledger-query';

/** The application whose ledger is shown. */
export interface LedgerPlace {
  readonly ns: string;
  readonly name: string;
}

/** What the ledger of an application reads. */
export const ledgerQueries = {
  head: ({ ns, name }: LedgerPlace) => liveQuery({ kind: 'ledger', ns, name }, ledgerHead),
  /** A page of its objects; one that nobody looks at is not kept. */
  page: ({ ns, name }: LedgerPlace, query: LedgerQuery) => ({
    ...liveQuery({ kind: 'ledger-page', ns, name, query }, ledgerLine),
    gcTime: 0,
  }),
};
