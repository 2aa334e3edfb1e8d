import type { WrittenApplication } from '@/lib/contract/change-rows';
import { isFields, readFields } from '@/lib/kube/fields';
import { KINDS } from '@/lib/kube/kinds';
import { containsManifest, isManifestCopy, MASK, maskForReading } from '@/lib/kube/mask';
import type { KubeObject } from '@/lib/kube/object';
import type { SensitivePlace } from '@/lib/kube/sensitive';
import { mapSensitive } from '@/lib/kube/sensitive';
import { readReference } from '@/server/application';
import type { Session } from '@/server/auth';
import type { CommandDeps, Place } from './command-deps';
import { applicationAt, readAs } from './command-deps';
import { HIDDEN_HINT, withKeptValues } from './editor/kept-values';
import { toYaml } from './manifest-text';

/** Ours on every application; nobody edits it. */
const OURS = 'slipway.dev/';

/** An application as its author would write it, read as the person: without status and what the server keeps. */
export async function readApplicationText(deps: CommandDeps, session: Session, place: Place): Promise<WrittenApplication> {
  await deps.auth.authorise(session, { kind: 'view-object', type: KINDS.application, ...place });
  return toApplicationText(await readAs(deps, session, applicationAt(place)));
}

/** The same of an application that was read. */
export function toApplicationText({ metadata, spec }: KubeObject): WrittenApplication {
  const { name, namespace, labels, uid = '', generation = 1 } = metadata;
  const annotations = Object.fromEntries(
    Object.entries(metadata.annotations ?? {}).filter(
      ([key, text]) => !isManifestCopy(key) && !containsManifest(text) && !key.startsWith(OURS),
    ),
  );
  const written: KubeObject = {
    ...KINDS.application,
    metadata: {
      ...(name ? { name } : {}),
      ...(namespace ? { namespace } : {}),
      ...(labels ? { labels } : {}),
      ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
    },
    spec: readFields({ spec }, 'spec'),
  };
  const hidden = mapSensitive(written, (place) => (isHidden(place) ? MASK : place.value));
  const { value, masked: isMasked } = maskForReading(hidden);
  const masked = isMasked || hidden !== written;
  if (!masked) return { text: toYaml(value), masked, uid, generation };
  return { text: `${HIDDEN_HINT}${toYaml(value)}`, masked: !isKept(value, written), uid, generation };
}

/** A value, and a reference of ours to one. What somebody refers to by themselves is theirs to read and to change. */
const isHidden = ({ value, owner }: SensitivePlace) =>
  (value !== undefined && !isFields(value)) || readReference(value, owner) !== undefined;

/** True when saving the text as it is would keep every value that it hides. */
function isKept(shown: unknown, stored: unknown): boolean {
  try {
    withKeptValues(shown as KubeObject, stored as KubeObject); // an application, with its values and without
    return true;
  } catch {
    return false; // it hides a value in a place where none is kept, so it cannot be edited here
  }
}
