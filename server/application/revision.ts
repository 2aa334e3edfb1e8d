import { createHash } from 'node:crypto';
import { readField, readFields, readNumber } from '@/lib/kube/fields';
import { KINDS, PLAN } from '@/lib/kube/kinds';
import { containsManifest } from '@/lib/kube/mask';
import type { KubeObject } from '@/lib/kube/object';
import { toStableJson } from '@/lib/std/stable-json';
import { extractAppRevisionName, LABEL, revisionNumberOf } from '@/server/dispatch';
import type { ParsedApplication } from './spec/model';
import { parseApplication } from './spec/parse';

/** A revision of an application as stored; the snapshot is parsed when it is needed. */
export interface Revision {
  readonly name: string;
  readonly number: number;
  readonly hash: string;
  readonly object: KubeObject;
}

/** Hash of what is rolled out. Policies say how, not what, so a change of them makes no revision. */
export function hashOf({ spec }: Pick<ParsedApplication, 'spec'>): string {
  const known = HASHES.get(spec);
  if (known !== undefined) return known;
  const hash = createHash('sha256').update(toStableJson(spec.components)).digest('hex').slice(0, 16);
  HASHES.set(spec, hash);
  return hash;
}

/** Specs are parsed once and never changed; that of a large application takes a while. */
const HASHES = new WeakMap<ParsedApplication['spec'], string>();

/** Reads an ApplicationRevision; undefined for a name that is none. */
export function readRevision(object: KubeObject): Revision | undefined {
  const { name = '', labels } = object.metadata;
  const number = revisionNumberOf(name);
  return number === undefined ? undefined : { name, number, hash: labels?.[LABEL.appRevisionHash] ?? '', object };
}

/** True for a revision of this very application, and not of one of the same name that was deleted and made again. */
export function isRevisionOf(revision: KubeObject, { metadata: { uid } }: Pick<KubeObject, 'metadata'>): boolean {
  return uid !== undefined && (revision.metadata.ownerReferences?.some((owner) => owner.uid === uid) ?? false);
}

/** Labels and annotations that the application had when the revision was made, of those that were permitted. */
export function metadataOf({ object }: Revision): Pick<ParsedApplication, 'labels' | 'annotations'> {
  const recorded = readFields(object, 'spec', 'application', 'metadata');
  const words = (member: string) => readFields(recorded, member) as Readonly<Record<string, string>>; // written by us from metadata
  return { labels: words('labels'), annotations: words('annotations') };
}

/** The application as it was when the revision was made; throws AppError `invalid` when it cannot be read. */
export function snapshotOf(revision: Revision, application: Pick<KubeObject, 'metadata'>): ParsedApplication {
  const { name = '', namespace = '', uid, generation } = application.metadata;
  return parseApplication({
    ...KINDS.application,
    metadata: {
      ...metadataOf(revision),
      name,
      namespace,
      ...(uid === undefined ? {} : { uid }),
      ...(generation === undefined ? {} : { generation }),
    },
    spec: readField(revision.object, 'spec', 'application', 'spec'),
  });
}

const NOT_KEPT: readonly string[] = ['kubectl.kubernetes.io/last-applied-configuration', ...Object.values(PLAN)];

/** The immutable snapshot of an application under a new name, with what is noted on the revision itself. */
export function toRevisionObject(
  application: ParsedApplication,
  name: string,
  hash: string,
  notes: Readonly<Record<string, string>> = {},
): KubeObject {
  const annotations = Object.fromEntries(
    Object.entries(application.annotations).filter(([key, text]) => !NOT_KEPT.includes(key) && !containsManifest(text)),
  );
  const { labels, namespace, uid } = application;
  return {
    ...KINDS.applicationRevision,
    metadata: {
      name,
      namespace,
      labels: { ...labels, [LABEL.appName]: application.name, [LABEL.appRevisionHash]: hash },
      annotations: { ...annotations, ...notes },
      ownerReferences: [{ ...KINDS.application, name: application.name, uid, controller: true }],
    },
    spec: {
      application: {
        ...KINDS.application,
        metadata: { name: application.name, namespace, labels, annotations },
        spec: application.object.spec,
      },
    },
  };
}

/** The highest revision number that is taken, whoever took it: by a revision, a tracker, or the status. */
export function highestNumber(
  application: KubeObject,
  revisions: readonly Revision[],
  trackers: readonly { readonly name: string }[],
): number {
  const { name = '', namespace = '' } = application.metadata;
  const tracked = trackers
    .map((tracker) => extractAppRevisionName(tracker.name, namespace))
    .filter((revision) => revision.startsWith(`${name}-v`));
  const numbers = [...revisions.map(({ number }) => number), ...tracked.map((revision) => revisionNumberOf(revision) ?? 0)];
  return Math.max(0, readNumber(application, 'status', 'latestRevision', 'revision') ?? 0, ...numbers);
}

/** The newest revision when it says what is wanted and nothing tells of a later one, which a copy that lags has not heard of. */
export function reusedRevision(newest: Revision | undefined, hash: string, highest: number): Revision | undefined {
  return newest?.hash === hash && newest.number === highest ? newest : undefined;
}
