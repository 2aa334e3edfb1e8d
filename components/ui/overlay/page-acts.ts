'use client';

import { useEffect, useId, useRef, useSyncExternalStore } from 'react';
import { t } from '@/lib/words/catalogue/console/ui';

/** Something that can be done on the page that is open. */
export interface PageAct {
  readonly id: string;
  /** What is done, as its button says it: whoever types no more than what it is done to looks for that, and is not offered the act. */
  readonly verb: string;
  /** As the palette says it: the verb and what it is done to. */
  readonly label: string;
  /** Why it cannot be done now. */
  readonly blocked: string | null;
  readonly run: () => void;
}

/** How the palette says an act whose button says the verb alone. */
export function labelAct(verb: string, name: string): string {
  return t.actOn(verb, name);
}

const NONE: readonly PageAct[] = [];
// Whatever stands on the page adds to one list, which the frame around it shows.
const offered = new Map<string, readonly PageAct[]>();
const listeners = new Set<() => void>();
let all: readonly PageAct[] = NONE;

function offer(owner: string, acts: readonly PageAct[] | undefined): void {
  if (acts === undefined) offered.delete(owner);
  else offered.set(owner, acts);
  all = [...offered.values()].flat();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Offers acts in the palette as long as the page shows them. */
export function usePageActs(acts: readonly PageAct[]): void {
  const owner = useId();
  const latest = useRef(acts);
  useEffect(() => {
    latest.current = acts;
  });
  const told = JSON.stringify(acts.map(({ id, verb, label, blocked }) => ({ id, verb, label, blocked })));
  useEffect(() => {
    const named: readonly Omit<PageAct, 'run'>[] = JSON.parse(told);
    offer(
      owner,
      named.map((one) => ({ ...one, run: () => latest.current.find(({ id }) => id === one.id)?.run() })),
    );
    return () => offer(owner, undefined);
  }, [owner, told]);
}

/** The acts of the page that is open. */
export function useShownActs(): readonly PageAct[] {
  return useSyncExternalStore(
    subscribe,
    () => all,
    () => NONE,
  );
}
