import { savePreview } from '@/lib/contract/change-rows';
import type { Store } from '@/server/store';
import type { Previews } from './command-deps';

/** What was shown of changes, in the store once it is open. */
export function openPreviews(store: () => Promise<Pick<Store, 'previews'>>): Previews {
  return {
    async keep({ ns, preview, ...shown }) {
      await (await store()).previews.keep({ ...shown, namespace: ns, preview: JSON.stringify(preview) });
    },
    async read(digest) {
      const row = await (await store()).previews.read(digest);
      if (row === undefined) return undefined;
      const { namespace: ns, preview, ...shown } = row;
      const parsed = savePreview.safeParse(JSON.parse(preview));
      // One that an older server kept in another form counts as not kept.
      return parsed.success ? { ...shown, ns, preview: parsed.data } : undefined;
    },
  };
}
