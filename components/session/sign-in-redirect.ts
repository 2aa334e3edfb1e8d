import { rememberZone } from '@/components/ui/time/zone-cookie';
import { returnPath, signInPath } from '@/lib/contract/pages/return-path';

const KEPT = 'slipway-return';

/** Goes on as whoever has signed in; the page is loaded anew, so that nothing read before stays in memory. */
export function continueSignedIn(returnTo: string): void {
  rememberZone();
  globalThis.location.replace(returnPath(returnTo));
}

/** Goes to the sign-in page of another address of this server, which knows from its own address where to go on. */
export function redirectToSignIn(address: string, returnTo: string): void {
  globalThis.location.replace(new URL(signInPath(returnTo), address));
}

/** Keeps the page that was asked for while its person is at the provider, in this tab only. */
export function storeReturnPath(returnTo: string): void {
  try {
    globalThis.sessionStorage.setItem(KEPT, returnTo);
  } catch {
    // Without storage one comes back to the first page.
  }
}

/** The page that was asked for before the provider; without one, as the address says. */
export function readReturnPath(otherwise: string): string {
  try {
    return returnPath(globalThis.sessionStorage.getItem(KEPT) ?? otherwise);
  } catch {
    return otherwise;
  }
}
