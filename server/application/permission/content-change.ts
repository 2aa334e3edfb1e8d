import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { describeObject, groupOf, toAddress, toObjectId } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { ResourceTracker } from '@/server/dispatch';
import { LABEL, revisionNameOf } from '@/server/dispatch';
import type { ParsedApplication } from '../model';
import { DEEPEST_APPLICATION, parseApplication } from '../parse';
import { render } from '../render/render';
import type { Revision } from '../revision';
import { nextRevision, snapshotOf } from '../revision';

/** What a new revision of an application has written and taken away on somebody's behalf. */
export interface ContentChange {
  /** `Application web in shop`. */
  readonly application: string;
  readonly namespace: string;
  /** What is new or other than in the revision before; the contents of applications among it included. */
  readonly written: readonly KubeObject[];
  /** What is on record and no longer wanted; kinds without a namespace may carry one here. */
  readonly going: readonly ObjectAddress[];
}

interface Contents {
  readonly application: ParsedApplication;
  readonly manifests: readonly KubeObject[];
  /** The newest revision that was made, which is to say permitted. */
  readonly newest: Revision | undefined;
  readonly trackers: readonly ResourceTracker[];
}

/** Compares what a revision renders to with the newest one that was permitted. Pure. */
export function contentChange({ application, manifests, newest, trackers }: Contents): ContentChange {
  const before = new Map(manifestsOf(application, newest).map((manifest) => [keyOf(manifest), toComparable(manifest)]));
  const changed = manifests.filter((manifest) => {
    const known = before.get(keyOf(manifest));
    return known === undefined || !deepEqual(toComparable(manifest), known);
  });
  const wanted = new Set(manifests.flatMap((manifest) => [keyOf(manifest), bareKeyOf(manifest)]));
  const recorded = new Map(
    trackers
      .flatMap(({ entries }) => entries)
      .filter((entry) => !entry.deleted && !entry.skipGC)
      .map(({ apiVersion, kind, namespace, name }) => {
        const at = { apiVersion, kind, name, ...(namespace ? { namespace } : {}) };
        return [toObjectId(at), at] as const;
      }),
  );
  const { name, namespace } = application;
  return {
    application: describeObject({ kind: 'Application', namespace, name }),
    namespace,
    written: changed.flatMap((manifest) => withContents(manifest, 0)),
    going: [...recorded].flatMap(([key, at]) => (wanted.has(key) ? [] : at)),
  };
}

/** What saving an application would change, as its next revision is made by the engine; nothing when it makes none. */
export function plannedChange(object: KubeObject, revisions: readonly KubeObject[], trackers: readonly ResourceTracker[]): ContentChange {
  const application = parseApplication(object);
  const { newest, stored, name } = nextRevision(application, revisions, trackers);
  if (stored !== undefined) return contentChange({ application, manifests: manifestsOf(application, stored), newest, trackers: [] });
  const { manifests } = render(application, name, { revisionHash: '' });
  return contentChange({ application, manifests, newest, trackers });
}

function manifestsOf({ object }: ParsedApplication, revision: Revision | undefined): readonly KubeObject[] {
  if (revision === undefined) return [];
  try {
    return render(snapshotOf(revision, object), revision.name, { revisionHash: revision.hash }).manifests;
  } catch {
    return []; // a snapshot that cannot be read any more vouches for nothing
  }
}

// These tell the revision, so they always differ. Every other label counts: some give rights, by aggregation for instance.
const REVISION_LABELS: readonly string[] = [LABEL.appRevision, LABEL.appRevisionHash];

function toComparable(manifest: KubeObject): KubeObject {
  const labels = Object.fromEntries(Object.entries(manifest.metadata.labels ?? {}).filter(([name]) => !REVISION_LABELS.includes(name)));
  return { ...manifest, metadata: { ...manifest.metadata, labels } };
}

/** An application in an application is written by the server, so whoever wants it answers for what is in it too. */
function withContents(manifest: KubeObject, depth: number): readonly KubeObject[] {
  const isApplication = manifest.kind === KINDS.application.kind && groupOf(manifest.apiVersion) === groupOf(KINDS.application.apiVersion);
  if (!isApplication || depth >= DEEPEST_APPLICATION) return [manifest];
  try {
    const inner = parseApplication(manifest);
    const { manifests } = render(inner, revisionNameOf(inner.name, 1), { revisionHash: '' });
    return [manifest, ...manifests.flatMap((one) => withContents(one, depth + 1))];
  } catch {
    return [manifest]; // what cannot be rendered here is refused by the engine too, when it is its turn
  }
}

const keyOf = (manifest: KubeObject) => toObjectId(toAddress(manifest));

// Manifests always carry a namespace, records of kinds that have none do not.
const bareKeyOf = (manifest: KubeObject) => toObjectId({ ...toAddress(manifest), namespace: undefined });
