import type { WrittenApplication } from '@/lib/contract/change-rows';
import { readFields } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { isManifestCopy, maskSecrets } from '@/lib/kube/mask';
import type { Session } from '@/server/auth';
import type { CommandDeps, Place } from './command-deps';
import { applicationAt, readAs } from './command-deps';
import { toYaml } from './manifest-text';

/** Ours on every application; nobody edits it. */
const OURS = 'slipway.dev/';

/** An application as its author would write it, read as the person: without status and what the server keeps. */
export async function readWritten(deps: CommandDeps, session: Session, place: Place): Promise<WrittenApplication> {
  await deps.auth.authorise(session, { kind: 'view-object', type: KINDS.application, ...place });
  const { metadata, spec } = await readAs(deps, session, applicationAt(place));
  const { name, namespace, labels, uid = '', generation = 1 } = metadata;
  const annotations = Object.fromEntries(Object.entries(metadata.annotations ?? {}).filter(([key]) => !isManifestCopy(key) && !key.startsWith(OURS)));
  const written = {
    ...KINDS.application,
    metadata: { name, namespace, ...(labels ? { labels } : {}), ...(Object.keys(annotations).length > 0 ? { annotations } : {}) },
    spec: readFields({ spec }, 'spec'),
  };
  const { value, masked } = maskSecrets(written);
  return { text: toYaml(value), masked, uid, generation };
}
