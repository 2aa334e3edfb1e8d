import type { ReactNode } from 'react';
import { TONE_TEXT } from '@/components/ui/status/tone';
import type { LedgerState } from '@/lib/contract/lists/ledger-query';
import { LEDGER_TONE } from './ledger-style';

// One silhouette per state, so that they differ without colour and at 14 pixels.
const SHAPES: Readonly<Record<LedgerState, ReactNode>> = {
  owned: <circle cx="7" cy="7" r="5.5" fill="currentColor" />,
  waiting: (
    <>
      <path d="M3 1.5h8M3 12.5h8" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" />
      <path d="M4 2.2 10 11.8H4L10 2.2Z" fill="currentColor" />
    </>
  ),
  'handed-over': (
    <path
      d="M1.5 7h9M7.2 3.2 11 7l-3.8 3.8"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
  ),
  recorded: <circle cx="7" cy="7" r="4.75" fill="none" stroke="currentColor" strokeWidth="1.7" />,
  missing: (
    <>
      <path d="M7 1.2 13 12H1Z" fill="currentColor" />
      <path d="M7 5.2v3.2" stroke="var(--color-panel)" strokeWidth="1.5" strokeLinecap="round" />
      <circle cx="7" cy="10.2" r=".8" fill="var(--color-panel)" />
    </>
  ),
  unknown: (
    <>
      <path
        d="M4.2 4.7a2.8 2.8 0 1 1 4.1 2.5c-.9.5-1.3 1-1.3 1.8"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.8"
        strokeLinecap="round"
      />
      <circle cx="7" cy="12" r="1.1" fill="currentColor" />
    </>
  ),
  deleted: <path d="m3 3 8 8m0-8-8 8" stroke="currentColor" strokeWidth="1.8" strokeLinecap="round" />,
};

/** The shape of a state of the ledger in its colour; its word stands beside it. */
export function LedgerGlyph({ state }: { readonly state: LedgerState }) {
  return (
    <svg aria-hidden="true" width={14} height={14} viewBox="0 0 14 14" className={`shrink-0 ${TONE_TEXT[LEDGER_TONE[state]]}`}>
      {SHAPES[state]}
    </svg>
  );
}
