import type { FluxKindName } from '@/lib/contract/flux-kind';
import { FLUX_KIND_NAMES, FLUX_RELEASE } from '@/lib/contract/flux-kind';
import type { FluxSourceRow } from '@/lib/contract/flux-rows';
import type { Keyed } from '@/lib/contract/live';
import type { ReleaseRow } from '@/lib/contract/release-rows';
import { FLUX_KINDS } from '@/lib/kube/flux-kinds';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import { groupOf, toAddress, toObjectKey } from '@/lib/kube/object';
import { describeFluxReleaseDetail, fluxKindOf } from '@/server/flux';
import type { Clock, FaultIsolation, Release } from '@/server/platform';
import type { StatusSource } from '@/server/status';
import { WatchedSets } from '@/server/status';
import type { ClusterView } from '../cluster-view';
import type { Health } from '../live-state';
import { RowTable } from '../row-table';
import type { Journal } from '../system/journal';
import { brokenFluxRelease, brokenFluxSource } from './broken-flux';
import { toFluxDetail, toFluxReleaseRow, toFluxSourceRow } from './flux-rows';

/** Where the page of an object of Flux is: `namespace/kind/name`. */
type FluxPage = string;

/** The objects of Flux in the copies of the cluster: shown, and driven by nobody here. */
export interface Flux {
  readonly releases: RowTable<ReleaseRow>;
  readonly sources: RowTable<FluxSourceRow>;
  /** The object of a page, where its kind is served. */
  objectOf(of: FluxKindName, at: { readonly ns: string; readonly name: string }): KubeObject | undefined;
  detail(of: FluxKindName, object: KubeObject): Keyed;
  broken(of: FluxKindName, object: KubeObject, why: string): Keyed;
  /** What Helm stored of its releases, as `namespace/name`. */
  stored(): ReadonlySet<string>;
  /** Whether the cluster serves any of the kinds. */
  isServed(): boolean;
  /** Begins to watch a kind that the cluster serves. */
  open(type: TypeRef): void;
  release(): void;
}

interface FluxDeps {
  readonly view: ClusterView;
  readonly clock: Clock;
  readonly contain: FaultIsolation;
  readonly status: Pick<StatusSource, 'subscribe'>;
  readonly healthOf: (object: KubeObject) => Health;
  readonly journal: Pick<Journal, 'about'>;
}

/** Builds them; a kind has rows from when it is opened. */
export function createFlux(deps: FluxDeps): Flux {
  const { view, clock, contain, healthOf, journal } = deps;
  const objectOf: Flux['objectOf'] = (of, { ns, name }) => storeOf(view, of)?.get(toObjectKey({ namespace: ns, name }));
  const tableOf = <Row extends Keyed>(
    make: (object: KubeObject, kind: FluxKindName) => Row,
    broken: (object: KubeObject, why: string) => Row,
  ) =>
    new RowTable<Row>((page) => {
      const { of, ns, name } = parsePage(page);
      const object = of && objectOf(of, { ns, name });
      if (of === undefined || object === undefined) return undefined;
      const subject = { what: 'row', kind: object.kind, key: page, version: object.metadata.resourceVersion } as const;
      return contain.attempt(
        subject,
        () => make(object, of),
        (why) => broken(object, why),
      );
    }, clock);
  const releases = tableOf<ReleaseRow>((object) => toFluxReleaseRow(object, healthOf(object)), brokenFluxRelease);
  const sources = tableOf<FluxSourceRow>((object) => toFluxSourceRow(object, healthOf(object)), brokenFluxSource);
  const touch = (page: FluxPage) => (parsePage(page).of === FLUX_RELEASE ? releases : sources).touch(page);
  const unlisten = listen(deps, touch);
  return {
    releases,
    sources,
    objectOf,
    detail: (of, object) => toFluxDetail(of, object, { health: healthOf(object), journal }),
    broken: (of, object, why) => toFluxDetail(of, stripped(object), { health: { health: 'Unknown', message: why }, journal }),
    stored: () =>
      new Set((storeOf(view, FLUX_RELEASE)?.list() ?? []).map((object) => toObjectKey(describeFluxReleaseDetail(object).storage))),
    isServed: () => FLUX_KIND_NAMES.some((of) => storeOf(view, of) !== undefined),
    open: (type) => void view.open(type),
    release() {
      unlisten();
      releases.release();
      sources.release();
    },
  };
}

/** Touches rows as their objects change, and as their status does, which time alone can do. */
function listen({ view, status }: FluxDeps, touch: (page: FluxPage) => void): Release {
  const watched = new WatchedSets(status, (page) => touch(page));
  const unlisten = view.onChange(({ type, before, after }) => {
    const of = fluxKindOf(type);
    const object = after ?? before;
    if (of === undefined || object === undefined) return;
    const page = toPage(of, object);
    if (before === undefined || after === undefined) watched.set(page, after === undefined ? [] : [toAddress(object)]);
    touch(page);
  });
  return () => {
    unlisten();
    watched.release();
  };
}

/** The store of a kind that is open; one that nobody serves is not opened by looking. */
function storeOf(view: ClusterView, of: FluxKindName) {
  const { apiVersion, kind } = FLUX_KINDS[of];
  return view.storeOfKind({ group: groupOf(apiVersion), kind });
}

const toPage = (of: FluxKindName, { metadata }: KubeObject): FluxPage => `${metadata.namespace ?? ''}/${of}/${metadata.name ?? ''}`;

function parsePage(page: FluxPage): { readonly of: FluxKindName | undefined; readonly ns: string; readonly name: string } {
  const [ns = '', kind = '', name = ''] = page.split('/');
  return { of: FLUX_KIND_NAMES.find((known) => known === kind), ns, name };
}

/** Nothing but its metadata: what cannot be shown is in the rest. */
function stripped({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  return { apiVersion, kind, metadata };
}
