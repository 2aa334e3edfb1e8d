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
    const letGo = isKept ? () => {} : holdHistory();
    window.addEventListener('beforeunload', warn);
    return () => {
      unkept.delete(text);
      letGo();
      window.removeEventListener('beforeunload', warn);
    };
  }, [isDirty, isKept]);
}

/**
 * Asks before the browser's back and forward leave the page, as its links do. The browser has gone to the other entry by the time it tells, so whoever stays is
 * brought back, before the router has heard of it.
 */
function holdHistory(): () => void {
  const here = { path: location.pathname, index: placeInHistory() };
  let isReturning = false;
  const hold = (event: PopStateEvent) => {
    if (isReturning) {
      isReturning = false;
      return event.stopImmediatePropagation();
    }
    // Within the page nothing is left, such as an anchor of it.
    if (location.pathname === here.path || confirmLeave()) return;
    event.stopImmediatePropagation();
    isReturning = true;
    // A browser that does not tell places is taken to have gone back, which is what people do.
    const steps = here.index === undefined ? 1 : here.index - (placeInHistory() ?? 0);
    history.go(steps);
  };
  // The router listens on the window too; whoever captures is told first.
  window.addEventListener('popstate', hold, { capture: true });
  return () => window.removeEventListener('popstate', hold, { capture: true });
}

/** Where the shown entry stands among those of the tab; undefined in browsers before the Navigation API. */
function placeInHistory(): number | undefined {
  const api: Navigation | undefined = globalThis.navigation;
  return api?.currentEntry?.index;
}
