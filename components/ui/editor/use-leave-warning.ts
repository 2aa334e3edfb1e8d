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

/** Marks the entry of the tab's history that stands before a text which nothing keeps. */
const GUARD = { slipwayGuard: true };
const isGuard = (state: unknown): boolean => typeof state === 'object' && state !== null && 'slipwayGuard' in state;

/**
 * Asks before the browser goes back from the page, as its links do, by one entry or by several. Where the browser tells of a step before it takes it, that step is
 * refused. Some do not tell, and none lets a page refuse twice before it is touched again; there the router hears of the step first and would take the page away,
 * so a second entry of the same address stands before the text: going back from that changes nothing, and goes on only where the person says so.
 */
function holdHistory(): () => void {
  const { href } = location;
  const steps: Navigation | undefined = globalThis.navigation;
  let isAgreed = false;
  const mayGo = () => {
    isAgreed ||= confirmLeave();
    return isAgreed;
  };
  if (!isGuard(history.state)) history.pushState({ ...GUARD }, '');
  const refuse = (event: NavigateEvent) => {
    // Of another document the browser asks by itself.
    if (event.navigationType !== 'traverse' || !event.cancelable || !event.destination.sameDocument) return;
    if (!mayGo()) event.preventDefault();
  };
  const hold = ({ state }: PopStateEvent) => {
    if (isGuard(state) || location.href !== href) return;
    if (mayGo()) history.back();
    else history.pushState({ ...GUARD }, '');
  };
  steps?.addEventListener('navigate', refuse);
  window.addEventListener('popstate', hold);
  return () => {
    steps?.removeEventListener('navigate', refuse);
    window.removeEventListener('popstate', hold);
  };
}
