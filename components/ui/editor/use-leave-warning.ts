import { useEffect } from 'react';
import { t } from '@/lib/words/catalogue/console/ui';

/** Texts on the page that nothing keeps. */
const unkept = new Set<object>();

/** Asks before a text is thrown away by going to another page of the console; false where the person stays with it. */
export function confirmLeave(): boolean {
  return unkept.size === 0 || globalThis.confirm(t.leaveAndDiscardChanges);
}

/** The browser asks before a text that was not applied is left, and the console where it is not kept as a draft. */
export function useLeaveWarning(isDirty: boolean, isKept = false): void {
  useEffect(() => {
    if (!isDirty) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    const text = {};
    if (!isKept) unkept.add(text);
    window.addEventListener('beforeunload', warn);
    return () => {
      unkept.delete(text);
      window.removeEventListener('beforeunload', warn);
    };
  }, [isDirty, isKept]);
}
