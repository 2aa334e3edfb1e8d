import { messageOf } from '@/lib/contract/app-error';
import type { ContentComparison, ThreeWay } from '@/lib/contract/release-comparison';
import type { KubeObject } from '@/lib/kube/object';
import { inParallel } from '@/lib/std/in-parallel';
import { diffHunks } from '@/lib/std/line-diff';
import { withLiveFields } from '@/server/dispatch';
import { yieldToEventLoop } from '@/server/platform';
import { differingFields } from '../drift/differing-fields';
import type { Comparing, RevisionContent } from './compare-revisions';
import { compareRevisions, masksOf } from './compare-revisions';

const AT_ONCE = 8;

/** A release from three sides. */
interface Sides {
  /** What Helm stored last. */
  readonly stored: RevisionContent;
  /** What the chart makes at its head; undefined where it was not rendered. */
  readonly head: RevisionContent | undefined;
  /** What is live of a stored object; undefined where it is missing. Throws where it cannot be read. */
  readonly readLive: (object: KubeObject) => Promise<KubeObject | undefined>;
}

type Row = ThreeWay['objects'][number];
type LiveSide = Pick<Row, 'live' | 'why' | 'first' | 'fields' | 'by' | 'liveDiff'>;

const NEW: LiveSide = { live: 'new', why: null, first: null, fields: 0, by: null, liveDiff: [] };

/**
 * Compares what is stored with the chart at its head, as two stored revisions are, and with what is live, as drift of an application is: only what
 * the manifest says counts, so that neither defaults nor fields of other controllers differ.
 */
export async function compareThree({ stored, head, readLive }: Sides, comparing: Comparing): Promise<Omit<ThreeWay, 'stored' | 'head'>> {
  const { namespace, hides, clock } = comparing;
  const toHead = head === undefined ? undefined : await compareRevisions(stored, head, comparing);
  const changes = new Map((toHead?.objects ?? []).map((change) => [keyOf(change), change]));
  const { write } = await masksOf([stored], { inline: [comparing.inline], hides, clock });
  const rows = new Map<string, Row>();
  await inParallel(stored.objects, AT_ONCE, async (object) => {
    const at = placeOf(object, namespace);
    const live = await readLive(object).then(
      (found) => compareLive({ ...object, metadata: { ...object.metadata, namespace: at.ns } }, found, write),
      (error: unknown): LiveSide => ({ ...NEW, live: 'unknown', why: messageOf(error) }),
    );
    await yieldToEventLoop(clock);
    rows.set(keyOf(at), { ...at, ...headSide(changes.get(keyOf(at)), toHead !== undefined), ...live });
  });
  for (const [key, change] of changes) {
    const { apiVersion, kind, ns, name } = change;
    if (!rows.has(key)) rows.set(key, { apiVersion, kind, ns, name, ...headSide(change, true), ...NEW });
  }
  const objects = [...rows.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  return { values: toHead?.values ?? [], valuesDiffer: toHead?.valuesDiffer ?? false, hidesValues: hides, objects };
}

function headSide(change: ContentComparison['objects'][number] | undefined, isRendered: boolean): Pick<Row, 'head' | 'headDiff'> {
  return { head: change?.change ?? (isRendered ? 'same' : 'unknown'), headDiff: change === undefined ? [] : change.diff };
}

function compareLive(stored: KubeObject, live: KubeObject | undefined, write: (object: KubeObject) => string): LiveSide {
  if (live === undefined) return { ...NEW, live: 'missing' };
  const fields = differingFields(stored, live);
  const [first] = fields;
  if (first === undefined) return { ...NEW, live: 'same' };
  // What is hidden has no values to show: that it differs is told by its path.
  const found = withLiveFields(
    stored,
    fields.filter(({ hidden }) => hidden === null),
    live,
  );
  const liveDiff = [...diffHunks(write(stored), write({ ...stored, ...(found as KubeObject) }))]; // an object with other fields is one
  return { live: 'differs', why: null, first: first.path, fields: fields.length, by: first.setBy?.manager ?? null, liveDiff };
}

function placeOf({ apiVersion, kind, metadata }: KubeObject, namespace: string) {
  return { apiVersion, kind, ns: metadata.namespace ?? namespace, name: metadata.name ?? '' };
}

const keyOf = ({ apiVersion, kind, ns, name }: Pick<Row, 'apiVersion' | 'kind' | 'ns' | 'name'>) =>
  JSON.stringify([kind, name, ns, apiVersion]);
