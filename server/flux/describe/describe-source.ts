import type { FluxSourceName } from '@/lib/contract/flux-kind';
import type { FluxReference, FluxSourceDetail, FluxSourceRow } from '@/lib/contract/flux-rows';
import { readString } from '@/lib/kube/fields';
import { withoutCredentials } from '@/lib/kube/mask';
import type { KubeObject } from '@/lib/kube/object';
import { toReference } from '../kinds';
import { isSuspended } from './state';

type SourceDescription = Pick<FluxSourceRow, 'suspended' | 'url' | 'follows' | 'revision' | 'fetchedAt' | 'interval'> &
  Pick<FluxSourceDetail, 'digest' | 'from' | 'secret'>;

/** What a source of charts says of itself: where it fetches from, what it follows, and what it fetched last. */
export function describeSource(object: KubeObject, kind: FluxSourceName): SourceDescription {
  const from = kind === 'helmchart' ? chartSource(object) : null;
  return {
    suspended: isSuspended(object),
    url:
      from === null
        ? withoutCredentials(readString(object, 'spec', 'url') ?? '')
        : `${readString(object, 'spec', 'chart') ?? ''} of ${from.kind} ${from.name}`,
    follows: followed(object, kind),
    revision: readString(object, 'status', 'artifact', 'revision') ?? null,
    fetchedAt: readString(object, 'status', 'artifact', 'lastUpdateTime') ?? null,
    interval: isAddressOnly(object) ? null : (readString(object, 'spec', 'interval') ?? null),
    digest: readString(object, 'status', 'artifact', 'digest') ?? null,
    from,
    secret: readString(object, 'spec', 'secretRef', 'name') ?? null,
  };
}

/** True for a HelmRepository that only holds an address: Flux reconciles nothing of it. */
export function isAddressOnly(object: KubeObject): boolean {
  return object.kind === 'HelmRepository' && readString(object, 'spec', 'type') === 'oci';
}

/** What a HelmChart takes its chart from. */
export function chartSource(object: KubeObject): FluxReference {
  const { namespace = '' } = object.metadata;
  const of = { kind: readString(object, 'spec', 'sourceRef', 'kind') ?? '', name: readString(object, 'spec', 'sourceRef', 'name') ?? '' };
  return toReference({ ...of, namespace: undefined }, namespace);
}

// In the order in which source-controller heeds them.
const GIT_REFERENCES = ['commit', 'name', 'semver', 'tag', 'branch'] as const;
const OCI_REFERENCES = ['digest', 'semver', 'tag'] as const;

function followed(object: KubeObject, kind: FluxSourceName): string | null {
  switch (kind) {
    case 'helmchart':
      return readString(object, 'spec', 'version') ?? null;
    case 'helmrepository':
      return null;
    case 'gitrepository':
      return reference(object, GIT_REFERENCES) ?? 'branch master';
    case 'ocirepository':
      return reference(object, OCI_REFERENCES) ?? 'tag latest';
  }
}

function reference(object: KubeObject, names: readonly string[]): string | undefined {
  const [found] = names.flatMap((name) => {
    const value = readString(object, 'spec', 'ref', name);
    return value ? [`${name} ${value}`] : [];
  });
  return found;
}
