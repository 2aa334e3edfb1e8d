import { AppError } from '@/lib/contract/app-error';
import type { StatusReference } from '@/lib/contract/object-statuses';
import { MAX_REFERENCES } from '@/lib/contract/object-statuses';
import type { ReleaseDetail } from '@/lib/contract/release-rows';
import type { ApiDeps } from '../api-deps';
import type { Caller } from '../route';
import { requireSession } from '../route';
import { answerStatuses } from '../status/answer-statuses';
import { PermittedSet } from '../status/permitted-set';

/** The status of each object of the newest revision that Helm stored of a release, those one may not get as Unknown. The caller has permitted the release. */
export async function answerStored(release: ReleaseDetail['release'], caller: Caller, deps: ApiDeps) {
  const objects = await deps.releases.readObjects(release);
  if (objects.length > MAX_REFERENCES)
    throw new AppError('too-large', `the release has ${objects.length} objects; at most ${MAX_REFERENCES} statuses are returned at once`);
  const wait = { watch: false, wanted: undefined, timeoutMs: 0 };
  return answerStatuses(wait, caller.connection, deps, async () => {
    const references = objects.map(
      ({ apiVersion, kind, namespace, name }): StatusReference => ({ apiVersion, kind, name, ...(namespace && { namespace }) }),
    );
    const set = await PermittedSet.open(references, {
      ...deps,
      session: requireSession(caller),
      spendName: caller.connection.spendName,
      namespace: release.namespace,
    });
    const check = async () => set.check(await caller.connection.check());
    return { set, freshness: () => deps.freshness(), check };
  });
}
