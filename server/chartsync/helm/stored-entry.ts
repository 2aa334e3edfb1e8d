import type { Fields } from '@/lib/kube/fields';
import { readFields, readString } from '@/lib/kube/fields';
import type { HelmStatus, RevisionEntry } from '../model/release';
import { HELM_STATUSES } from '../model/release';

type Labels = Readonly<Record<string, string>>;

/** What is read of a Secret without its payload. Helm's own labels of times are carried on from one revision to the next. */
export interface Listed {
  readonly namespace: string;
  /** Of the very object at the very moment. */
  readonly version: string;
  readonly uid: string;
  readonly labels: Labels;
  readonly storedAt: string | undefined;
}

/** What the labels tell of a revision; undefined where they tell of none. */
export function toEntry({ labels: { version, status }, storedAt }: Listed): RevisionEntry | undefined {
  const revision = Number(version);
  if (!Number.isInteger(revision) || revision <= 0) return undefined;
  return { revision, status: toStatus(status), ...(storedAt === undefined ? {} : { storedAt }) };
}

/** A state as Helm spells it; what Helm never wrote is unknown. */
export function toStatus(status: string | undefined): HelmStatus {
  return HELM_STATUSES.find((each) => each === status) ?? 'unknown';
}

/** Reads the metadata of what Helm stored. */
export function toListed(item: unknown): Listed {
  const namespace = readString(item, 'metadata', 'namespace') ?? '';
  const uid = readString(item, 'metadata', 'uid') ?? '';
  const version = `${uid}/${readString(item, 'metadata', 'resourceVersion') ?? ''}`;
  return {
    namespace,
    version,
    uid,
    labels: textsOf(readFields(item, 'metadata', 'labels')),
    storedAt: readString(item, 'metadata', 'creationTimestamp'),
  };
}

function textsOf(labels: Fields): Labels {
  return Object.fromEntries(Object.entries(labels).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])));
}
