import type { FluxSourceRow } from '@/lib/contract/flux-rows';
import type { ReleaseRow } from '@/lib/contract/release-rows';
import type { KubeObject } from '@/lib/kube/object';
import { toFluxReleaseRow, toFluxSourceRow } from './flux-rows';

const bare = ({ apiVersion, kind, metadata: { name, namespace } }: KubeObject): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace } as KubeObject['metadata'],
});

/** The line of a release of Flux that cannot be shown: its name, and why. */
export function brokenFluxRelease(object: KubeObject, why: string): ReleaseRow {
  return toFluxReleaseRow(bare(object), { health: 'Unknown', message: why });
}

/** The line of a source that cannot be shown. */
export function brokenFluxSource(object: KubeObject, why: string): FluxSourceRow {
  return toFluxSourceRow(bare(object), { health: 'Unknown', message: why });
}
