import { t as filters } from '@/lib/words/catalogue/console/filters';
import { t } from '@/lib/words/catalogue/releases/releases';
import type { CountedNames } from '../figures';
import type { Listed } from '../lists/listed-resources';
import { nameListed } from '../lists/listed-resources';

/** The namespaces that a sort of releases is seen in, where another is seen in more. */
interface SeenReleases {
  readonly slipwayWithin?: CountedNames | undefined;
  readonly olderWithin?: CountedNames | undefined;
  readonly fluxWithin?: CountedNames | undefined;
}

/** What a list of releases, of one namespace or of all, leaves out because its reader may not see it. */
export function formatHidden(seen: SeenReleases, namespace?: string): readonly string[] {
  const isAllOfIt = (within: CountedNames | undefined) => namespace !== undefined && within?.names.includes(namespace) === true;
  const [slipwayWithin, olderWithin, fluxWithin] = [seen.slipwayWithin, seen.olderWithin, seen.fluxWithin].map((within) =>
    isAllOfIt(within) ? undefined : within,
  );
  return [
    ...limitOf(slipwayWithin, 'slipway-releases', [t.releasesOfSlipway, t.slipwayReleasesAreNotListed]),
    ...limitOf(olderWithin, 'older-releases', [t.releasesOfTheOlderKind, t.olderReleasesAreNotListed]),
    ...limitOf(fluxWithin, 'flux-releases', [t.releasesOfFlux, t.fluxReleasesAreNotListed]),
  ];
}

type Said = readonly [noun: string, none: (resources: string) => string];

function limitOf(within: CountedNames | undefined, of: Listed, [noun, none]: Said): readonly string[] {
  if (within === undefined) return [];
  const resources = nameListed(of);
  if (within.count === 0) return [none(resources)];
  return [`${filters.youMaySeeOnlyThoseIn(noun, within)} ${filters.othersRequireTheRight(resources)}`];
}
