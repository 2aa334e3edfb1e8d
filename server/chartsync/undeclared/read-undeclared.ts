import { grantCommand } from '@/lib/contract/grant';
import { releaseKindOf } from '@/lib/contract/release-kind';
import type { UndeclaredReleases } from '@/lib/contract/undeclared-releases';
import { HELM_STORAGES, UNDECLARED_MS } from '@/lib/contract/undeclared-releases';
import { toObjectKey } from '@/lib/kube/object';
import { inParallel } from '@/lib/std/in-parallel';
import { formatCount, formatNamespaces } from '@/lib/words/figures';
import type { Store } from '@/server/kube';
import { claimantsIn } from '../cluster/resources';
import type { NewestRevision } from '../helm/storage';
import type { ReleaseRef } from '../model/release';
import type { DeclaredBeforeReader } from './declared-before';
import type { IsUndefined } from './listed';
import { refusedReason, requireListed, unservedReasons } from './listed';
import type { ReadTogether, SharedStorageReader } from './shared-storage-reader';
import { uninstallOf } from './uninstall-decisions';

const AT_ONCE = 4;
/** Of so many it is told who declared them before: each is read. */
const MAX_READ = 500;
/** Of namespaces that may not be looked into. */
const MAX_NAMED = 3;

export interface UndeclaredDeps {
  readonly readings: Pick<SharedStorageReader, 'readAnywhere' | 'readIn'>;
  /** Asked of a kind that is not served. */
  readonly isUndefined: IsUndefined;
  /** Watched copies of the kinds that declare releases. */
  readonly stores: readonly Store[];
  /** Copies of the decisions about releases. */
  readonly decisions: Store;
  /** Those that other controllers declare, as `namespace/name` of what Helm stored. */
  readonly others: () => ReadonlySet<string>;
  readonly before: Pick<DeclaredBeforeReader, 'begin'>;
}

type Line = UndeclaredReleases['releases'][number];

/** The releases that Helm keeps in some namespaces, or in all, and no resource declares, by their labels. What cannot be read is told beside the others. */
export async function readUndeclared(deps: UndeclaredDeps, namespaces: readonly string[] | 'all'): Promise<UndeclaredReleases> {
  const { readings, stores, others, before } = deps;
  // Nothing of a kind that the server never was let list is driven here: the older one came last, and roles may be from before it.
  const older = stores.find(({ scope }) => releaseKindOf(scope) === 'helmrelease-v1beta1');
  const unlisted = older && refusedReason(older);
  requireListed(unlisted === undefined ? stores : stores.filter((store) => store !== older));
  const unserved = await unservedReasons(stores, deps.isUndefined);
  const theirs = others();
  const declaredBefore = before.begin();
  const found: { readonly newest: NewestRevision; readonly storage: Line['storage'] }[] = [];
  const reads: (ReadTogether & { readonly kept: Line['storage'] })[] = [];
  for (const kept of HELM_STORAGES) {
    const read = await (namespaces === 'all' ? readings.readAnywhere(kept) : readings.readIn(kept, namespaces));
    found.push(...read.found.filter(({ release }) => isUndeclared(release, stores, theirs)).map((newest) => ({ newest, storage: kept })));
    reads.push({ ...read, kept });
  }
  const refusedForMs = Math.max(...reads.map((read) => read.refusedForMs));
  const sorted = found.map((one) => ({ ...one, key: toObjectKey(one.newest.release) })).sort((a, b) => (a.key < b.key ? -1 : 1));
  const lines = new Map<string, Line>();
  await inParallel([...sorted.entries()], AT_ONCE, async ([place, one]) => {
    lines.set(
      `${one.key} ${one.storage}`,
      toLine(deps, one, place < MAX_READ && one.storage === 'secrets' ? await declaredBefore(one.newest) : null),
    );
  });
  return {
    releases: sorted.flatMap(({ key, storage: kept }) => lines.get(`${key} ${kept}`) ?? []),
    why:
      [unlisted ?? [], unserved, reads.map((read) => reasonsOf(read, refusedForMs)).find((of) => of.length > 0) ?? []].flat().join('; ') ||
      null,
  };
}

/** Where releases may be that nobody here can tell of. */
function reasonsOf({ kept, refused, failed }: ReadTogether & { readonly kept: string }, refusedForMs: number): readonly string[] {
  const named = (names: readonly string[]) => formatNamespaces({ count: names.length, names: names.slice(0, MAX_NAMED) });
  const [first] = failed;
  const where = first?.namespace === undefined ? 'all namespaces' : named(failed.map(({ namespace = '' }) => namespace));
  const grant = grantCommand(refused.length === 1 ? (refused[0] ?? '') : 'NAMESPACE');
  return [
    ...(first === undefined ? [] : [`the ${kept} of releases in ${where} could not be listed: ${first.why}`]),
    ...(refused.length === 0
      ? []
      : [
          `the server may not list ${kept} in ${named(refused)}; ${grant} grants it there; it shows here within ${formatCount(Math.ceil((refusedForMs + UNDECLARED_MS) / 60_000), 'minute')}`,
        ]),
  ];
}

function isUndeclared(release: ReleaseRef, stores: readonly Store[], theirs: ReadonlySet<string>): boolean {
  return claimantsIn(stores, release).length === 0 && !theirs.has(toObjectKey(release));
}

/** What its labels tell, and what is known beside. */
export function toLine(
  { decisions }: Pick<UndeclaredDeps, 'decisions'>,
  { newest, storage }: { readonly newest: NewestRevision; readonly storage: Line['storage'] },
  declaredBefore: Line['declaredBefore'],
): Line {
  const { release, entry } = newest;
  const { revision, status, storedAt = null } = entry;
  return {
    ns: release.namespace,
    name: release.name,
    revision,
    status,
    storedAt,
    storage,
    declaredBefore,
    uninstall: uninstallOf(decisions, newest),
  };
}
