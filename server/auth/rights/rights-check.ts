import { inParallel } from '@/lib/std/in-parallel';
import { formatList } from '@/lib/words/figures';
import type { Cluster } from '@/server/kube';
import { describeRight } from '@/server/kube';
import type { Grant, Right, Visibility } from '../act';
import type { Session } from '../session';
import { refusal } from './refusal';

const AT_ONCE = 8;

/** What is given to whom nothing is hidden. */
export const FULL_VISIBILITY: Grant = { visibility: 'all' };
/** What is given to whom nothing is shown but that it is answered. */
export const NO_VISIBILITY: Grant = { visibility: [] };

/** Who asks, and whom to ask about them. */
export interface RightsCheck {
  readonly session: Session;
  readonly may: (right: Right) => Promise<boolean>;
  readonly namespacesWith: (right: Right) => Promise<readonly string[]>;
  readonly cluster: Cluster;
  /** Whether the cluster has the kinds of Flux: rights to what nobody has are not asked for. */
  readonly servesFlux: () => boolean;
  /** The application whose tracker has a name; undefined where there is none, or it says of none. */
  readonly trackedBy: (tracker: string) => { readonly ns: string; readonly name: string } | undefined;
}

/** Wants every one of these rights. */
export async function requireRights({ session, may }: RightsCheck, ...rights: readonly Right[]): Promise<Grant> {
  for (const right of rights) {
    if (!(await may(right))) throw refusal(session, describeRight(right), [right]);
  }
  return FULL_VISIBILITY;
}

/** Wants a right to one of many: the one to all of them is asked for first, so that many are one question. */
export async function requireAny(asking: RightsCheck, right: Right, name: string): Promise<Grant> {
  return (await asking.may(right)) ? FULL_VISIBILITY : requireRights(asking, { ...right, name });
}

/** The namespaces that an act is about; undefined of all. */
export type Namespaces = readonly string[] | undefined;

/** All namespaces where a right is held; where the act is about some of them, those are asked about alone. */
export async function visibleNamespaces({ may, namespacesWith }: RightsCheck, right: Right, namespaces: Namespaces): Promise<Grant> {
  if (await may(right)) return FULL_VISIBILITY;
  if (namespaces === undefined) return { visibility: await namespacesWith(right) };
  const held = await Promise.all(namespaces.map((namespace) => may({ ...right, namespace })));
  return { visibility: namespaces.filter((_, at) => held[at]) };
}

/** As `narrow`, and refuses who holds the right nowhere, or not in one of the namespaces that are named: what is shown is never less than was asked for. */
export async function requireVisibleNamespaces(asking: RightsCheck, right: Right, namespaces: Namespaces): Promise<Grant> {
  const grant = await visibleNamespaces(asking, right, namespaces);
  const { visibility } = grant;
  if (namespaces === undefined && visibility.length > 0) return grant;
  if (namespaces === undefined) {
    const partly = right.isClusterScoped ? ', or in a namespace for those of its applications' : ' or in any one';
    throw refusal(asking.session, `${describeRight(right)}${partly}`, [right]);
  }
  const missing = visibility === 'all' ? undefined : namespaces.find((namespace) => !visibility.includes(namespace));
  if (missing === undefined) return grant;
  throw refusal(asking.session, describeRight({ ...right, namespace: missing }), [{ ...right, namespace: missing }]);
}

/** Of some namespaces those in which all of these rights are held, one after the other; undefined where nobody knows which those would be. */
export async function namespacesWithAll(
  { may }: RightsCheck,
  rights: readonly Right[],
  visibility: Visibility,
): Promise<Visibility | undefined> {
  const mayIn = async (where: { readonly namespace?: string }) => {
    for (const right of rights) if (!(await may({ ...right, ...where }))) return false;
    return true;
  };
  if (await mayIn({})) return visibility;
  if (visibility === 'all') return undefined;
  const found: string[] = [];
  await inParallel(visibility, AT_ONCE, async (namespace) => {
    if (await mayIn({ namespace })) found.push(namespace);
  });
  return found.sort();
}

/** As `see`, of one table for several kinds: the namespaces in which every one of these rights is held. */
export async function requireVisibleInAll(asking: RightsCheck, rights: readonly Right[], namespaces: Namespaces): Promise<Grant> {
  let visibility: Visibility = 'all' as Visibility; // narrowed by each right
  for (const right of rights) {
    const { visibility: seen } = await requireVisibleNamespaces(asking, right, namespaces);
    visibility = inBoth(visibility, seen);
  }
  if (visibility.length > 0) return { visibility };
  const wanted = formatList(rights.map((right) => describeRight(right)));
  throw refusal(asking.session, `${wanted}, ${rights.length === 2 ? 'both' : 'all'} in one namespace`, rights);
}

/** The namespaces that are in both. */
export const inBoth = (one: Visibility, other: Visibility): Visibility =>
  one === 'all' ? other : other === 'all' ? one : one.filter((namespace) => other.includes(namespace));
