import type { Discovery } from '@/server/kube';
import { isNoMatch } from '@/server/kube';
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

/** Maps kinds by discovery, which finds out again what it does not know, at most every ten seconds. */
export function discoveryMapper(discovery: Discovery): KindMapper {
  return {
    async map(of, signal) {
      try {
        const { version, plural, namespaced } = await discovery.resolveKind({ group: of.group, kind: of.kind }, signal);
        return { version, plural, namespaced };
      } catch (error) {
        throw isNoMatch(error) ? new NoKindMatchError(of) : error;
      }
    },
    reset: () => discovery.invalidate(),
  };
}
