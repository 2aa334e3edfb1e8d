import type { ApiResource, Discovery } from './cluster';

/** Names a kind by its group and its plural or kind, at a version where one is wanted. */
export interface NamedKind {
  readonly group: string;
  readonly named: string;
  readonly version?: string | undefined;
}

/**
 * The resource that an address names: by its plural, or by its kind, which alone begins with a capital letter; at the version wanted where that is
 * served, else at the one that the server prefers. Throws `NoMatchError` for one that is not served.
 */
export async function findResource(discovery: Discovery, { group, named, version }: NamedKind, signal?: AbortSignal): Promise<ApiResource> {
  const isKind = /^[A-Z]/.test(named);
  const known = isKind ? undefined : (await discovery.all(signal)).find((one) => one.group === group && one.plural === named);
  // A plural that nobody knows may have been defined a moment ago: asking for it as a kind looks again, at most once in a while.
  const kind = known?.kind ?? named;
  return discovery.resolveKind({ group, kind, ...(version === undefined ? {} : { version }) }, signal);
}

/** Every kind once, at the version that the server prefers, subresources aside. */
export async function listKinds(discovery: Discovery, signal?: AbortSignal): Promise<readonly ApiResource[]> {
  const kinds = new Map((await discovery.all(signal)).map((one) => [`${one.group}/${one.kind}`, one]));
  return Promise.all([...kinds.values()].map(({ group, kind }) => discovery.resolveKind({ group, kind }, signal)));
}
