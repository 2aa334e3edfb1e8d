import type { FluxKindName, FluxSourceName } from '@/lib/contract/flux-kind';
import { FLUX_RELEASE, FLUX_SOURCE_NAMES } from '@/lib/contract/flux-kind';
import type { FluxReleaseDetail, FluxSourceDetail, FluxSourceRow } from '@/lib/contract/flux-rows';
import type { ReleaseRow } from '@/lib/contract/release-rows';
import { releaseSeverity } from '@/lib/contract/release-state';
import { readNumber } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { actsOn, describeFluxRelease, describeFluxReleaseDetail, describeSource, fluxKindOf, requestsOf, toState } from '@/server/flux';
import { describeConditions } from '@/server/status';
import { capitalise } from '../capitalise';
import type { Health } from '../live-state';
import type { Journal } from '../system/journal';
import type { ListShape } from '../views/list-view';
import { metadataOf } from '../views/metadata';

const MAX_TIMELINE = 100;

/** The line of a release that Flux drives, in the table of all releases. Its state is the verdict of the status engine. */
export function toFluxReleaseRow(object: KubeObject, { health, message }: Health): ReleaseRow {
  const { namespace: ns = '', name = '' } = object.metadata;
  const told = describeFluxRelease(object);
  return {
    key: `${ns}/${FLUX_RELEASE}/${name}`,
    ns,
    kind: FLUX_RELEASE,
    name,
    state: toState(object, health),
    sentence: capitalise(message, [name, told.release.name]),
    ...told,
    waits: null,
    nextCheckAt: null,
    approval: null,
    ...metadataOf(object),
  };
}

/** The line of a source. */
export function toFluxSourceRow(object: KubeObject, { health, message }: Health): FluxSourceRow {
  const { namespace: ns = '', name = '' } = object.metadata;
  const kind = sourceKindOf(object);
  const { digest: _digest, from: _from, secret: _secret, ...told } = describeSource(object, kind);
  return {
    key: `${ns}/${kind}/${name}`,
    ns,
    kind,
    name,
    state: toState(object, health),
    sentence: capitalise(message, [name]),
    ...told,
    ...metadataOf(object),
  };
}

/** The page of an object of Flux. */
export function toFluxDetail(
  of: FluxKindName,
  object: KubeObject,
  { health, journal }: { readonly health: Health; readonly journal: Pick<Journal, 'about'> },
): FluxReleaseDetail | FluxSourceDetail {
  const { uid = '', generation = 0, namespace = '', name = '' } = object.metadata;
  const common = {
    uid,
    generation,
    observed: readNumber(object, 'status', 'observedGeneration') ?? null,
    apiVersion: object.apiVersion,
    asked: requestsOf(object),
    acts: actsOn(object, of),
    conditions: [...describeConditions(object)],
    timeline: journal
      .about(namespace, name)
      .filter(({ kind, action }) => kind === object.kind && action.startsWith('flux.'))
      .slice(0, MAX_TIMELINE)
      .map(({ key, at, actor, action, message }) => ({ key, at, actor, action, message })),
  };
  if (of === FLUX_RELEASE)
    return { ...toFluxReleaseRow(object, health), ...describeFluxReleaseDetail(object), ...common, kind: FLUX_RELEASE };
  const { digest, from, secret } = describeSource(object, of);
  return { ...toFluxSourceRow(object, health), digest, from, secret, ...common };
}

function sourceKindOf(object: KubeObject): FluxSourceName {
  const kind = fluxKindOf(object);
  const found = FLUX_SOURCE_NAMES.find((name) => name === kind);
  if (found === undefined) throw new Error(`${object.kind} is not a Flux source`); // the table of sources holds nothing else
  return found;
}

export const fluxSourceList: ListShape<FluxSourceRow> = {
  namespaceOf: (row) => row.ns,
  text: (row) => `${row.ns}/${row.name} ${row.kind} ${row.url} ${row.revision ?? ''}`,
  marks: (row) => row,
  filter: (row) => row.state,
  sorts: {
    name: (row) => row.name,
    kind: (row) => row.kind,
    state: (row) => releaseSeverity(row.state),
    fetched: (row) => row.fetchedAt ?? '',
  },
  defaultSort: 'state',
};
