import { rememberZone } from '@/components/ui/time/zone-cookie';
import { returnPath } from '@/lib/contract/pages/return-path';

const KEPT = 'slipway-return';

/** Goes on as whoever has signed in; the page is loaded anew, so that nothing read before stays in memory. */
export function enter(returnTo: string): void {
  rememberZone();
  globalThis.location.replace(returnPath(returnTo));
}

/** Keeps the page that was asked for while its person is at the provider, in this tab only. */
export function keepReturn(returnTo: string): void {
  try {
    globalThis.sessionStorage.setItem(KEPT, returnTo);
  } catch {
    // Without storage one comes back to the first page.
  }
}

/** The page that was asked for before the provider; without one, as the address says. */
export function keptReturn(otherwise: string): string {
  try {
    return returnPath(globalThis.sessionStorage.getItem(KEPT) ?? otherwise);
  } catch {
    return otherwise;
  }
}
