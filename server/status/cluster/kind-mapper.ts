import type { ApiResource, Discovery } from '@/server/kube';
import { isNoMatch } from '@/server/kube';
import type { Clock } from '@/server/platform';
import type { GroupKind } from '../identifier';

/** Where a kind is served. */
export interface KindMapping {
  readonly version: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

/** Finds out where kinds are served. */
export interface KindMapper {
  /** Throws NoKindMatchError for a kind that is not served; any other throw means that nobody knows. */
  map(of: GroupKind, signal?: AbortSignal): Promise<KindMapping>;
  /** Forgets what it knows, for instance because a definition changed. */
  reset(): void;
}

/** The kind is served at no version. */
export class NoKindMatchError extends Error {
  constructor({ group, kind }: GroupKind) {
    super(`no matches for kind "${kind}" in group "${group}"`);
    this.name = 'NoKindMatchError';
  }
}

export function isNoKindMatch(error: unknown): boolean {
  return error instanceof NoKindMatchError || isNoMatch(error);
}

/** How often a miss may ask the server again whether the kind is there by now. */
const ASK_AGAIN_MS = 10_000;

/** Maps kinds by discovery. A miss asks the server again, at most every ten seconds and once for all who wait. */
export function discoveryMapper(discovery: Discovery, clock: Pick<Clock, 'now'>): KindMapper {
  let askedAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<readonly ApiResource[]> | undefined;

  const askAgain = (signal?: AbortSignal) => {
    if (asking === undefined) {
      askedAt = clock.now();
      discovery.invalidate();
      asking = discovery.all(signal).finally(() => {
        asking = undefined;
      });
    }
    return asking;
  };

  return {
    async map(of, signal) {
      const found = findKind(await discovery.all(signal), of);
      if (found !== undefined) return found;
      const again = clock.now() - askedAt >= ASK_AGAIN_MS || asking !== undefined ? findKind(await askAgain(signal), of) : undefined;
      if (again === undefined) throw new NoKindMatchError(of);
      return again;
    },
    reset: () => discovery.invalidate(),
  };
}

/** Discovery lists the preferred version first. */
function findKind(resources: readonly ApiResource[], { group, kind }: GroupKind): KindMapping | undefined {
  const found = resources.find((resource) => resource.group === group && resource.kind === kind);
  return found && { version: found.version, plural: found.plural, namespaced: found.namespaced };
}
