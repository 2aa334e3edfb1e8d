import { useEffect, useRef, useSyncExternalStore } from 'react';
import { t } from '@/lib/words/catalogue/console/inbox';

const KEPT = 'slipway-notify';
const listeners = new Set<() => void>();

/** Whether the person asked this browser to tell when something waits for them, and the browser may. */
function isAsked(): boolean {
  try {
    return localStorage.getItem(KEPT) === 'on' && 'Notification' in globalThis && Notification.permission === 'granted';
  } catch {
    return false;
  }
}

function notifyAll(): void {
  for (const listener of listeners) listener();
}

/** Asks for notifications, or ends them; answers a sentence where the browser does not allow them. */
export async function requestNotifications(wanted: boolean): Promise<string | null> {
  try {
    if (!wanted) localStorage.removeItem(KEPT);
    else if (!('Notification' in globalThis)) return t.thisBrowserHasNoNotifications;
    else {
      const answer = await Notification.requestPermission();
      // Whoever closes the question has blocked nothing: the browser asks again.
      if (answer !== 'granted') return answer === 'denied' ? t.thisBrowserBlocksNotifications : t.notificationsWereNotAllowed;
      localStorage.setItem(KEPT, 'on');
    }
    return null;
  } catch {
    return t.thisBrowserKeepsNoSettings;
  } finally {
    notifyAll();
  }
}

/** Whether notifications are on. */
export function useNotificationsOn(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    isAsked,
    () => false,
  );
}

/** One thing that waits for the person. */
export interface Waiting {
  readonly key: string;
  readonly text: string;
}

/** Tells of what newly waits for the person while they look elsewhere, and keeps the count on the badge. */
export function useInboxNotifications(waiting: readonly Waiting[] | undefined): void {
  const isOn = useNotificationsOn();
  const known = useRef<ReadonlySet<string> | null>(null);
  useEffect(() => {
    if (waiting === undefined) return;
    const before = known.current;
    known.current = new Set(waiting.map(({ key }) => key));
    if (!isOn) return;
    setBadge(waiting.length);
    // What waited before the page was opened is on it; only what comes is told.
    if (before === null || !document.hidden) return;
    for (const { key, text } of waiting) if (!before.has(key)) notify(key, text);
  }, [waiting, isOn]);
  useEffect(() => (isOn ? () => setBadge(0) : undefined), [isOn]);
}

function notify(key: string, text: string): void {
  const options = { body: text, tag: key };
  try {
    const notification = new Notification(t.slipwayWaitsForYou, options);
    notification.onclick = () => {
      globalThis.focus();
      notification.close();
    };
  } catch {
    // Browsers of phones let no page make one, only its worker, which hears the tap as well.
    const workers: ServiceWorkerContainer | undefined = navigator.serviceWorker;
    const shown = workers?.getRegistration().then((ours) => ours?.showNotification(t.slipwayWaitsForYou, options));
    void shown?.catch(() => undefined); // the count in the frame tells as well
  }
}

function setBadge(count: number): void {
  if (!('setAppBadge' in navigator)) return;
  void (count === 0 ? navigator.clearAppBadge() : navigator.setAppBadge(count)).catch(() => undefined); // a window that is no app has no badge
}
