import type { Within } from '@/lib/contract/lists/within';
import { toWithin } from '@/lib/contract/lists/within';
import type { Keyed, WindowDelta } from '@/lib/contract/live';
import type { Topic } from '@/lib/contract/topic';
import type { Visibility, WindowVisibility } from './window';

/** Whether the cluster has the kinds of releases that it need not have. */
export interface Served {
  readonly flux: () => boolean;
  readonly older: () => boolean;
}

/** What a list says of the namespaces that it is limited to, by whether it is empty. */
export type Limits = (isEmpty: boolean) => Pick<WindowDelta<Keyed>, 'within' | 'slipwayWithin' | 'olderWithin' | 'fluxWithin'>;

/**
 * What of a list its reader may see. Of releases each sort is told that is seen in fewer namespaces than another, whose rows say
 * nothing of it.
 */
export function limitsOf(topic: Topic, seen: WindowVisibility, served: Served): Limits {
  if (topic.kind !== 'releases') return () => named({ within: toWithin(seen.visibility) });
  const { visibility: own, olderReleases: older } = seen;
  const flux = served.flux() ? seen.releases : [];
  const some = {
    within: toWithin(either(own, flux)),
    slipwayWithin: lessThan(own, flux),
    olderWithin: served.older() ? lessThan(older, own) : undefined,
  };
  const fluxWithin = served.flux() ? toWithin(flux) : undefined;
  const fluxIsLess = lessThan(flux, own) !== undefined;
  // Rows that Flux drives are in a list where the others of it are, unless it is said that they are seen in fewer namespaces.
  return (isEmpty) => named({ ...some, fluxWithin: fluxIsLess || isEmpty ? fluxWithin : undefined });
}

const named = <Told extends object>(told: Told): Partial<Told> =>
  Object.fromEntries(Object.entries(told).filter(([, within]) => within !== undefined)) as Partial<Told>; // some of the same

function either(one: Visibility, other: Visibility): Visibility {
  return one === 'all' || other === 'all' ? 'all' : [...one, ...other];
}

/** Where one sort is seen, where another is seen in namespaces beyond these. */
function lessThan(one: Visibility, other: Visibility): Within | undefined {
  return one !== 'all' && (other === 'all' || other.some((ns) => !one.includes(ns))) ? toWithin(one) : undefined;
}
