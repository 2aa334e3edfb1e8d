import type { ReactNode } from 'react';
import type { HealthStatus } from '@/lib/contract/health';

// One silhouette per status, so that they differ without colour and at 14 pixels.
const SHAPES: Readonly<Record<HealthStatus, ReactNode>> = {
  Current: (
    <>
      <circle cx="7" cy="7" r="6" fill="currentColor" />
      <path
        d="m4.4 7.2 1.8 1.8 3.4-3.8"
        fill="none"
        stroke="var(--color-panel)"
        strokeWidth="1.6"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </>
  ),
  InProgress: (
    <>
      <circle cx="7" cy="7" r="5.25" fill="none" stroke="currentColor" strokeWidth="1.5" />
      <path d="M7 7V3.6A3.4 3.4 0 1 1 4.06 8.7Z" fill="currentColor" />
    </>
  ),
  Failed: (
    <>
      <path d="M4.5 1h5L13 4.5v5L9.5 13h-5L1 9.5v-5Z" fill="currentColor" />
      <path d="m5 5 4 4m0-4L5 9" stroke="var(--color-panel)" strokeWidth="1.6" strokeLinecap="round" />
    </>
  ),
  Unknown: (
    <>
      <path d="M7 .8 13.2 7 7 13.2.8 7Z" fill="none" stroke="currentColor" strokeWidth="1.4" strokeLinejoin="round" />
      <path d="M5.7 5.7a1.35 1.35 0 1 1 2 1.3c-.5.3-.7.5-.7 1" fill="none" stroke="currentColor" strokeWidth="1.3" strokeLinecap="round" />
      <circle cx="7" cy="9.7" r=".8" fill="currentColor" />
    </>
  ),
  Terminating: (
    <>
      <circle cx="7" cy="7" r="5.25" fill="none" stroke="currentColor" strokeWidth="1.5" />
      <path d="M4.5 7h5" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" />
    </>
  ),
  NotFound: (
    <>
      <circle cx="7" cy="7" r="5.25" fill="none" stroke="currentColor" strokeWidth="1.5" strokeDasharray="2.2 1.9" />
      <path d="m4.6 9.4 4.8-4.8" stroke="currentColor" strokeWidth="1.4" strokeLinecap="round" />
    </>
  ),
};

/** The shape of a health; always shown beside its word or with the word in its title. */
export function StatusGlyph({ health, size = 14 }: { readonly health: HealthStatus; readonly size?: number }) {
  return (
    <svg aria-hidden="true" width={size} height={size} viewBox="0 0 14 14" className="shrink-0">
      {SHAPES[health]}
    </svg>
  );
}
