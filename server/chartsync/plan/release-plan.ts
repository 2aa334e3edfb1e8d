import { createHmac } from 'node:crypto';
import type { KubeObject } from '@/lib/kube/object';
import { toObjectId } from '@/lib/kube/object';
import { toStableJson } from '@/lib/std/stable-json';
import type { RevisionContent } from '../describe/compare-revisions';
import type { PlannedObject } from './nondeterministic';
import { markNondeterministic, pairRenderings, toAddress } from './nondeterministic';

/** What a plan hangs on, each as a digest that tells whether it moved and nothing else. */
export interface PlanParts {
  /** The folder of the chart with its built dependencies. */
  readonly chart: string;
  readonly values: string;
  /** The newest revision that Helm stored. */
  readonly stored: string;
  readonly helm: string;
  /** As whom Helm acts. */
  readonly account: string;
  /** Which objects are created and which deleted. */
  readonly objects: string;
}

/** What releasing would do, as it can be promised. */
export interface ReleasePlan {
  readonly digest: string;
  readonly parts: PlanParts;
  /** Commit or version of the chart. */
  readonly revision: string;
  /** The newest stored revision; null where nothing is stored. */
  readonly stored: number | null;
  readonly before: RevisionContent;
  readonly after: RevisionContent;
  /** What differs between two renderings: places of an object, or the object as a whole. */
  readonly nondeterministic: readonly (PlannedObject & { readonly paths: readonly string[] })[];
  /** What the chart has no more, and Helm leaves in place because the object says so. */
  readonly left: readonly PlannedObject[];
}

/** Everything that a plan is made from. */
export interface PlanBasis {
  /** Everything but the objects, not yet keyed. */
  readonly facts: Readonly<Record<Exclude<keyof PlanParts, 'objects'>, string>>;
  readonly revision: string;
  readonly stored: number | null;
  readonly namespace: string;
  readonly before: RevisionContent;
  /** The same request, rendered twice. */
  readonly first: RevisionContent;
  readonly second: RevisionContent;
  /** Keeps short values from being tried out against a digest that everybody may read. */
  readonly key: string;
}

const KEEP = 'helm.sh/resource-policy';

/**
 * What releasing would do. What differs between two renderings is no part of it; which objects are created and deleted is, and of those whose name is
 * another one each time how many of a kind.
 */
export function planRelease({ facts, revision, stored, namespace, before, first, second, key }: PlanBasis): ReleasePlan {
  const [olds, firsts] = [before, first].map(({ objects }) => byId(objects, namespace)) as [ById, ById]; // one for each
  const { both, nameless } = pairRenderings(first.objects, second.objects, namespace);
  const after: KubeObject[] = [];
  const marked = new Map(olds);
  const nondeterministic: (PlannedObject & { readonly paths: readonly string[] })[] = nameless.map((one) => ({ ...one, paths: [] }));
  for (const { id, ...rendered } of both) {
    const states = markNondeterministic({ ...rendered, before: olds.get(id) });
    if (states.paths.length > 0) nondeterministic.push({ ...lineOf(rendered.first, namespace), paths: states.paths });
    if (states.before !== undefined) marked.set(id, states.before);
    after.push(states.after);
  }
  const left = [...marked].filter(([id, object]) => !firsts.has(id) && object.metadata.annotations?.[KEEP] === 'keep');
  for (const [id] of left) marked.delete(id);
  const digest = (value: unknown) => createHmac('sha256', key).update(toStableJson(value)).digest('hex');
  const created = both.flatMap(({ id }) => (olds.has(id) ? [] : [id])).sort();
  const deleted = [...marked.keys()].filter((id) => !firsts.has(id)).sort();
  const unnamed = nameless.map(({ apiVersion, kind, ns }) => `${apiVersion} ${kind} ${ns}`).sort();
  const objects = digest([created, deleted, unnamed]);
  const parts: PlanParts = { ...mapValues(facts, digest), objects };
  return {
    digest: `sha256:${digest(parts)}`,
    parts,
    revision,
    stored,
    before: { ...before, objects: [...marked.values()] },
    after: { ...first, objects: after, notes: first.notes === second.notes ? first.notes : '' },
    nondeterministic: nondeterministic.sort(byName),
    left: left.map(([, object]) => lineOf(object, namespace)),
  };
}

/** Charts may render in another order each time; those without a name come last. */
function byName(a: PlannedObject, b: PlannedObject): number {
  const [one, other] = [a, b].map(({ name, ns, kind }) => JSON.stringify([name === null, kind, ns, name])) as [string, string]; // one for each
  return one < other ? -1 : one > other ? 1 : 0;
}

type ById = ReadonlyMap<string, KubeObject>;

function byId(objects: readonly KubeObject[], namespace: string): ById {
  return new Map(objects.map((object) => [toObjectId(toAddress(object, namespace)), object]));
}

function lineOf({ apiVersion, kind, metadata }: KubeObject, namespace: string) {
  return { apiVersion, kind, ns: metadata.namespace ?? namespace, name: metadata.name ?? '' };
}

function mapValues<Name extends string>(
  values: Readonly<Record<Name, string>>,
  change: (value: string) => string,
): Readonly<Record<Name, string>> {
  return Object.fromEntries(Object.entries<string>(values).map(([name, value]) => [name, change(value)])) as Record<Name, string>; // the same names
}
