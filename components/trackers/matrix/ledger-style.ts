import type { Tone } from '@/components/ui/status/tone';
import type { LedgerColumn } from '@/lib/contract/history/ledger-rows';
import type { LedgerState } from '@/lib/contract/lists/ledger-query';
import { t } from '@/lib/words/catalogue/delivery/ledger';
import { STATE_STYLE } from '../tracker-state';

/** The colour of each state of the ledger; its word and meaning stand in the catalogue, its shape in `LedgerGlyph`. */
export const LEDGER_TONE: Readonly<Record<LedgerState, Tone>> = {
  owned: 'good',
  waiting: 'warn',
  'handed-over': 'idle',
  recorded: 'odd',
  missing: 'bad',
  unknown: 'odd',
  deleted: 'idle',
};

/** How the state of a revision looks. */
export function columnStyle(state: LedgerColumn['state']): { readonly tone: Tone; readonly word: string } {
  return state === 'collected' ? { tone: 'idle', word: t.collected } : STATE_STYLE[state];
}

/** A revision in the head of a narrow column: `v12` of `web-v12`. */
export function shortRevision({ revision, tracker }: Pick<LedgerColumn, 'revision' | 'tracker'>): string {
  return /-(v\d+)$/.exec(revision ?? '')?.[1] ?? revision ?? tracker;
}
