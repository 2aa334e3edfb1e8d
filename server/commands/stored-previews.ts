import { z } from 'zod';
import { messageOf } from '@/lib/contract/app-error';
import { savePreview } from '@/lib/contract/change-rows';
import type { ReleasePlan } from '@/lib/contract/release-edit';
import { releasePlan } from '@/lib/contract/release-edit';
import type { Log } from '@/server/platform';
import type { Store } from '@/server/store';
import type { Previews, StoredPlans } from './command-deps';

type OpenStore = () => Promise<Pick<Store, 'previews'>>;

/** What was shown of changes of applications, in the store once it is open. */
export function openPreviews(store: OpenStore): Previews {
  return keptIn(store, savePreview);
}

/** A plan as it is kept, by either name of what differs at each rendering: the release before knows the older one alone. */
const storedPlan = z
  .looseObject({ eachTime: z.unknown() })
  .transform(({ eachTime, ...plan }) => ({ nondeterministic: eachTime, ...plan }))
  .pipe(releasePlan);

/** What was shown of changes of releases, in the same place. */
export function openReleasePlans(store: OpenStore): StoredPlans<ReleasePlan> {
  const kept = keptIn(store, storedPlan);
  return {
    ...kept,
    keep: (shown) => kept.keep({ ...shown, preview: { ...shown.preview, eachTime: shown.preview.nondeterministic } }),
  };
}

/** What people were told that their decisions do, in the same place. What cannot be kept fails nothing: it is logged once until something is kept again. */
export function openConsequences(store: OpenStore, log: Pick<Log, 'warn'>): StoredPlans<readonly string[]> {
  const kept = keptIn(store, z.array(z.string()).readonly());
  let isFailing = false;
  return {
    ...kept,
    async keep(told) {
      try {
        await kept.keep(told);
        isFailing = false;
      } catch (error) {
        if (!isFailing)
          log.warn({ error: messageOf(error) }, 'what people see before they decide could not be stored; their decisions still count');
        isFailing = true;
      }
    },
  };
}

function keptIn<Preview>(store: OpenStore, schema: z.ZodType<Preview>): StoredPlans<Preview> {
  return {
    async keep({ ns, preview, ...shown }) {
      await (await store()).previews.keep({ ...shown, namespace: ns, preview: JSON.stringify(preview) });
    },
    async read(digest) {
      const row = await (await store()).previews.read(digest);
      if (row === undefined) return undefined;
      const { namespace: ns, preview, ...shown } = row;
      const parsed = schema.safeParse(JSON.parse(preview));
      // One that an older server kept in another form counts as not kept.
      return parsed.success ? { ...shown, ns, preview: parsed.data } : undefined;
    },
  };
}
