'use client';

import { useState } from 'react';
import { t } from '@/lib/words/catalogue/objects/objects';

/** A label selector, as kubectl takes it; sent by Enter or when the field is left, since half of one is refused. */
export function LabelBox({ value, onLabels }: { readonly value: string; readonly onLabels: (text: string) => void }) {
  const [typed, setTyped] = useState(value);
  const send = () => {
    if (typed.trim() !== value) onLabels(typed.trim());
  };
  return (
    <input
      aria-label={t.labelSelector}
      placeholder={t.labelsAppWebTierDb}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={send}
      onKeyDown={(event) => event.key === 'Enter' && send()}
      className="h-7 w-full rounded-md border border-line-strong bg-panel px-2 text-ink text-xs placeholder:text-ink-3 focus-visible:outline-offset-0 sm:w-40"
    />
  );
}
