'use client';

import { useRouter } from 'next/navigation';
import { useEffect } from 'react';
import { confirmLeave } from '@/components/ui/editor/use-leave-warning';
import { showToast } from '@/components/ui/overlay/toast';
import { t } from '@/lib/words/catalogue/console/live';
import { isSameAddress } from './address/cluster-param';
import { useLiveClient } from './live-provider';

const STAYS = t.theServerDoesNotAnswerYou;

/**
 * Whether the page may be left. Without a server the browser would put an error of its own in place of all that is still known here, and a text that
 * nothing keeps is asked about.
 */
function useMayLeave(): (discards?: boolean) => boolean {
  const client = useLiveClient();
  return (discards = false) => {
    const connection = client?.connection();
    if (connection?.kind !== 'offline' || connection.answers) return discards || confirmLeave();
    showToast(STAYS, 'bad');
    return false;
  };
}

/** Goes to another page, unless no server is there to bring it. */
export function useNavigate(): (href: string) => void {
  const router = useRouter();
  const mayLeave = useMayLeave();
  return (href) => {
    if (mayLeave()) go(router, href);
  };
}

/** A way to the page that is shown already is no step of the browser's history, though a link does not name the cluster and the address does. */
function go(router: ReturnType<typeof useRouter>, href: string): void {
  if (isSameAddress(href, globalThis.location.href)) router.replace(href);
  else router.push(href);
}

/** The same for every link on the page. */
export function useHeldLinks(): void {
  const router = useRouter();
  const mayLeave = useMayLeave();
  useEffect(() => {
    const hold = (event: MouseEvent) => {
      const link = linkAway(event);
      if (link === null || link.dataset.reloads !== undefined) return;
      const isSame = isSameAddress(link.href, globalThis.location.href);
      const stays = !mayLeave(link.dataset.discards !== undefined);
      if (stays || isSame) event.preventDefault();
      if (!stays && isSame) router.replace(link.href);
    };
    // Before any link's own listener: one that was prevented goes nowhere.
    document.addEventListener('click', hold, { capture: true });
    return () => document.removeEventListener('click', hold, { capture: true });
  }, [mayLeave, router]);
}

/** The link of a click that would put another page of ours in place of this one; null of any other. */
function linkAway(event: MouseEvent): HTMLAnchorElement | null {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return null;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link === null || link.href === '' || link.target === '_blank' || link.origin !== globalThis.location.origin) return null;
  return link.getAttribute('href')?.startsWith('#') === true ? null : link;
}

/** Has the browser show a page of ours where the server does not answer a navigation. Where it cannot, its own error stands there, as without this. */
export function useOfflinePage(): void {
  useEffect(() => {
    // Absent on addresses that browsers do not trust: by http from another machine.
    const workers: ServiceWorkerContainer | undefined = navigator.serviceWorker;
    void workers?.register('/offline-worker.js', { updateViaCache: 'none' }).catch(() => undefined);
  }, []);
}
