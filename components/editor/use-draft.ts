import { useEffect, useRef, useState } from 'react';
import type { Draft } from '@/components/ui/editor/draft-store';
import { dropDraft, keepDraft, readDraft } from '@/components/ui/editor/draft-store';

const KEEP_AFTER_MS = 400;

interface DraftOptions {
  readonly key: string;
  /** What the text is written on. */
  readonly base: Draft['base'];
  readonly text: string;
  /** Called once, with what was written here before and not applied. */
  readonly onRestore: (draft: Draft) => void;
}

/** What became of what was written: when a draft was kept that is shown now, and whether this browser keeps the text. */
export interface DraftState {
  readonly restoredAt: string | null;
  readonly isKept: boolean;
  /** Forgets it: it was applied, or thrown away. */
  readonly drop: () => void;
}

/** Keeps what is written in this browser while it differs from what it was written on, and gives it back to whoever opens the editor again. */
export function useDraft({ key, base, text, onRestore }: DraftOptions): DraftState {
  const [restoredAt, setRestoredAt] = useState<string | null>(null);
  const [isKept, setKept] = useState(true);
  const latest = useRef({ key, base, text, onRestore, isOver: false, isThere: false });
  useEffect(() => {
    Object.assign(latest.current, { key, base, text, onRestore });
  });
  useEffect(() => {
    const found = readDraft(key);
    if (found === null) return;
    if (found.text === latest.current.base.text) return dropDraft(key); // it was applied by other ways
    latest.current.isThere = true;
    setRestoredAt(found.at);
    latest.current.onRestore(found);
  }, [key]);
  useEffect(() => {
    if (text === base.text && !latest.current.isThere) return;
    const timer = setTimeout(() => setKept(keep(latest.current)), KEEP_AFTER_MS);
    return () => clearTimeout(timer);
  }, [text, base]);
  useEffect(() => {
    const held = latest.current;
    const leave = () => void keep(held);
    globalThis.addEventListener('pagehide', leave);
    return () => {
      globalThis.removeEventListener('pagehide', leave);
      leave();
    };
  }, []);
  const drop = () => {
    latest.current.isOver = true;
    latest.current.isThere = false;
    setRestoredAt(null);
    dropDraft(key);
  };
  return { restoredAt, isKept, drop };
}

interface Held extends Omit<DraftOptions, 'onRestore'> {
  isOver: boolean;
  isThere: boolean;
}

/** Keeps the text as it is now, or forgets the draft where there is nothing to keep. */
function keep(held: Held): boolean {
  const { key, base, text } = held;
  if (text === base.text) {
    if (held.isThere) dropDraft(key);
    held.isThere = false;
    held.isOver = false;
    return true;
  }
  if (held.isOver) return true;
  held.isThere = true;
  return keepDraft(key, { text, base, at: new Date().toISOString() });
}
