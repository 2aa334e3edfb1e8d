'use client';

import { CircleCheck, OctagonX, X } from 'lucide-react';
import { useEffect, useSyncExternalStore } from 'react';
import { asSentence } from '@/components/ui/as-sentence';
import { Sentence } from '@/components/ui/time/sentence';
import { t } from '@/lib/words/catalogue/console/ui';
import { cx } from '../cx';

export interface Toast {
  readonly id: number;
  readonly tone: 'good' | 'bad';
  readonly text: string;
  /** What can be done about it at once, such as to undo it. */
  readonly act?: ToastAct;
}

export interface ToastAct {
  readonly label: string;
  readonly run: () => void;
}

const SHOWN_MS = 6000;
/** What can be undone is shown for as long as it takes to read it and to reach the button. */
const ACT_SHOWN_MS = 12_000;
const NONE: readonly Toast[] = [];

// Toasts are the one piece of state that any click may add to; a style sheet of our own keeps the content security policy strict.
let shown: readonly Toast[] = NONE;
let nextId = 1;
const listeners = new Set<() => void>();

function replace(toasts: readonly Toast[]): void {
  shown = toasts;
  for (const listener of listeners) listener();
}

/** Says that something was done; what went wrong belongs next to its control instead. Nothing is kept for a page that comes later. */
export function showToast(text: string, tone: Toast['tone'] = 'good', act?: ToastAct): void {
  if (listeners.size > 0) replace([...shown.slice(-2), { id: nextId++, tone, text, ...(act && { act }) }]);
}

function dismiss(id: number): void {
  replace(shown.filter((toast) => toast.id !== id));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) shown = NONE;
  };
}

/** The corner where toasts appear. */
export function Toaster() {
  const toasts = useSyncExternalStore(
    subscribe,
    () => shown,
    () => NONE,
  );
  return (
    <section
      role="status"
      aria-live="polite"
      aria-label={t.notifications}
      className="print:hidden pointer-events-none fixed right-3 bottom-16 left-3 z-50 flex flex-col items-end gap-2 sm:right-4 sm:bottom-4 sm:left-auto"
    >
      {toasts.map((toast) => (
        <ToastBox key={toast.id} toast={toast} />
      ))}
    </section>
  );
}

function ToastBox({ toast }: { readonly toast: Toast }) {
  const hasAct = toast.act !== undefined;
  useEffect(() => {
    const timer = setTimeout(() => dismiss(toast.id), hasAct ? ACT_SHOWN_MS : SHOWN_MS);
    return () => clearTimeout(timer);
  }, [toast.id, hasAct]);
  const Icon = toast.tone === 'good' ? CircleCheck : OctagonX;
  return (
    <div className="pointer-events-auto flex w-full animate-appear items-start gap-2 rounded-lg bg-raised py-2.5 pr-2 pl-3 shadow-float sm:w-96">
      <Icon size={16} aria-hidden className={cx('mt-0.5 shrink-0', toast.tone === 'good' ? 'text-good' : 'text-bad')} />
      <p className="min-w-0 flex-1 text-ink wrap-anywhere">
        <Sentence text={toast.tone === 'bad' ? asSentence(toast.text) : toast.text} />
      </p>
      {toast.act ? <ActButton toast={toast} act={toast.act} /> : null}
      <button
        type="button"
        aria-label={t.dismiss}
        className="inline-flex size-5 items-center justify-center rounded-sm text-ink-3 hover:bg-hover"
        onClick={() => dismiss(toast.id)}
      >
        <X size={13} aria-hidden />
      </button>
    </div>
  );
}

function ActButton({ toast, act }: { readonly toast: Toast; readonly act: ToastAct }) {
  const press = () => {
    dismiss(toast.id);
    act.run();
  };
  return (
    <button type="button" className="shrink-0 rounded-sm px-1 font-medium text-accent hover:underline" onClick={press}>
      {act.label}
    </button>
  );
}
