import type { ContentComparison } from '@/lib/contract/release-comparison';
import { isFields } from '@/lib/kube/fields';
import { hideCredentials, MASK, maskForReading } from '@/lib/kube/mask';
import type { KubeObject } from '@/lib/kube/object';
import { toObjectId } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import { diffHunks } from '@/lib/std/line-diff';
import { writeYaml } from '@/lib/std/yaml/write-yaml';
import type { Clock } from '@/server/platform';
import { yieldToEventLoop } from '@/server/platform';
import { maskerOf } from '../helm/masking/mask-values';
import type { StoredRevision } from '../model/release';
import type { PlannedObject } from '../plan/nondeterministic';

/** What is compared of a revision, stored or rendered: its values, and the objects of its manifest. */
export interface RevisionContent extends Pick<StoredRevision, 'values'> {
  readonly objects: readonly KubeObject[];
  readonly notes: string;
  /** What its chart comes with under the names of secrets; nothing where absent. */
  readonly secrets?: readonly unknown[];
  /** Of what was rendered twice, what had another name each time. */
  readonly nameless?: readonly PlannedObject[];
  /** Of what was rendered, what lies in the crds folder of the chart, file by file. */
  readonly definitions?: readonly string[];
}

export interface Comparing {
  readonly namespace: string;
  /** Values that stand in the resource itself, which whoever sees that knows. */
  readonly inline: unknown;
  /** The same of the older one, where the resource was another then. */
  readonly inlineBefore?: unknown;
  /** Whether all other values are masked. */
  readonly hides: boolean;
  readonly clock: Clock;
}

/**
 * How two revisions differ in values and objects. Values of Secrets are told nowhere; where values are hidden, they are masked in objects
 * and notes as well, except for texts too short to be told from others.
 */
export async function compareRevisions(
  from: RevisionContent,
  to: RevisionContent,
  { namespace, inline, inlineBefore = inline, hides, clock }: Comparing,
): Promise<ContentComparison> {
  const { mask, write } = await masksOf([from, to], { inline: [inlineBefore, inline], hides, clock });
  const objects: ContentComparison['objects'] = [];
  for (const { at, old, next } of pairById(from.objects, to.objects, namespace)) {
    await yieldToEventLoop(clock);
    if (old !== undefined && next !== undefined && deepEqual(old, next)) continue;
    const change = old === undefined ? 'created' : next === undefined ? 'deleted' : 'changed';
    objects.push({ ...at, change, diff: [...diffHunks(write(old), write(next))] });
  }
  const areSame = deepEqual(from.values, to.values);
  const texts: string[] = [];
  const sides = [
    [from.values, inlineBefore],
    [to.values, inline],
  ] as const;
  for (const [values, standing] of areSame ? [] : sides) {
    await yieldToEventLoop(clock); // thousands of values are a piece of their own on each side
    texts.push(writeValues(values, standing, hides));
  }
  const [older = '', newer = ''] = texts;
  await yieldToEventLoop(clock);
  return {
    values: [...diffHunks(older, newer)],
    valuesDiffer: !areSame,
    hidesValues: hides,
    objects,
    notes: to.notes === '' ? null : mask(to.notes),
  };
}

/** How texts and objects of contents are written for whoever may not know all of their values. */
export async function masksOf(
  contents: readonly Pick<RevisionContent, 'values' | 'secrets'>[],
  { inline, hides, clock }: { readonly inline: readonly unknown[]; readonly hides: boolean; readonly clock: Clock },
) {
  const hidden: unknown[] = [];
  for (const [at, { values, secrets }] of contents.entries()) {
    await yieldToEventLoop(clock);
    // The manifest of a Secret among the values is a Secret, and a password in an address one, whoever looks.
    hidden.push(hiddenIn(values, maskForReading(values).value), ...(hides ? [hiddenOf(values, inline[at]), secrets] : []));
  }
  await yieldToEventLoop(clock);
  const masked = maskerOf({ hidden });
  const mask = (text: string) => hideCredentials(masked(text));
  const write = (object: KubeObject | undefined) => (object === undefined ? '' : mask(writeYaml(maskForReading(object).value)));
  return { mask, write };
}

/** Values as whoever may not know all of them reads them: no value of a Secret, and where others are hidden, those alone that stand at the same place. */
export function writeValues(values: unknown, standing: unknown, hides: boolean): string {
  return toText(maskForReading(hides ? maskLeaves(values, standing) : values).value);
}

/** An empty map is no line. */
function toText(values: unknown): string {
  return isFields(values) && Object.keys(values).length === 0 ? '' : writeYaml(values);
}

/** One object of two contents; absent on the side that does not have it. */
interface ObjectPair {
  readonly at: { readonly apiVersion: string; readonly kind: string; readonly ns: string; readonly name: string };
  readonly old: KubeObject | undefined;
  readonly next: KubeObject | undefined;
}

/** The objects of two contents side by side, in the order of their ids. */
export function pairById(before: readonly KubeObject[], after: readonly KubeObject[], namespace: string): readonly ObjectPair[] {
  const pairs = new Map<string, ObjectPair>();
  const note = (side: 'old' | 'next', object: KubeObject) => {
    const { apiVersion, kind, metadata } = object;
    const at = { apiVersion, kind, ns: metadata.namespace ?? namespace, name: metadata.name ?? '' };
    const id = toObjectId({ apiVersion, kind, namespace: at.ns, name: at.name });
    pairs.set(id, { old: undefined, next: undefined, ...pairs.get(id), at, [side]: object });
  };
  for (const object of before) note('old', object);
  for (const object of after) note('next', object);
  return [...pairs].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, pair]) => pair);
}

/** What a masked copy of values hides of them. */
function hiddenIn(values: unknown, masked: unknown): unknown {
  if (deepEqual(values, masked)) return null;
  if (isFields(values) && isFields(masked)) return Object.entries(values).map(([name, value]) => hiddenIn(value, masked[name]));
  if (Array.isArray(values) && Array.isArray(masked)) return values.map((value, index) => hiddenIn(value, masked[index]));
  return values;
}

/** The values without those that stand at the same place in the resource: what is left may have come from a Secret. */
function hiddenOf(values: unknown, inline: unknown): unknown {
  if (isFields(values)) {
    const known = isFields(inline) ? inline : {};
    return Object.entries(values).map(([name, value]) => hiddenOf(value, known[name]));
  }
  return deepEqual(values, inline) ? null : values;
}

function maskLeaves(values: unknown, inline: unknown): unknown {
  if (isFields(values)) {
    const known = isFields(inline) ? inline : {};
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, maskLeaves(value, known[name])]));
  }
  return deepEqual(values, inline) ? values : MASK;
}
