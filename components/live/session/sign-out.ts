import { dropDrafts } from '@/components/ui/editor/draft-store';
import { showToast } from '@/components/ui/overlay/toast';
import { dropRecents } from '@/components/ui/preferences/preferences-store';
import { t } from '@/lib/words/catalogue/console/shell';

/** Ends the session on the server and leaves for the sign-in page; the page is loaded anew, so that nothing read before stays in memory. */
export async function signOut(): Promise<void> {
  const answer = await fetch('/api/v1/session', { method: 'DELETE', credentials: 'same-origin' }).catch(() => undefined); // the toast says that it was not reached
  if (answer?.ok || answer?.status === 401) {
    dropDrafts();
    dropRecents();
    globalThis.location.assign('/sign-in');
  } else showToast(t.signingOutDidNotReach, 'bad');
}
