import { secretsIn } from '@/lib/kube/mask';
import { toStableJson } from '@/lib/std/stable-json';
import type { LiveObjects } from '../cluster/live-objects';
import { digestValues } from '../compare/values-digest';
import type { RevisionContent } from '../describe/compare-revisions';
import type { HelmBinary } from '../helm/helm-binary';
import { secretDefaults } from '../helm/masking/chart-defaults';
import { toContents } from '../helm/storage';
import type { Identities } from '../identities';
import { actorOf } from '../identities';
import type { ReleaseRef } from '../model/release';
import type { ReleaseRequest } from '../ports';
import type { ReleasePlan } from './release-plan';
import { planRelease } from './release-plan';

interface PlannerDeps {
  readonly helm: Pick<HelmBinary, 'readNewest' | 'readHistory' | 'readRevision' | 'render' | 'factsOf'>;
  readonly live: Pick<LiveObjects, 'parse' | 'readAt'>;
  readonly identities: Pick<Identities, 'accountOf'>;
  /** By which digests of values are keyed. */
  readonly key: () => Promise<string>;
}

const NOTHING: RevisionContent = { values: {}, objects: [], notes: '' };

/** Works out what releasing would do, for whoever previews it and for the engine alike. Nothing is changed. */
export class ReleasePlanner {
  readonly #deps: PlannerDeps;

  constructor(deps: PlannerDeps) {
    this.#deps = deps;
  }

  /** The plan of a request. Rendered twice, since only that tells what a chart makes up anew each time. */
  async plan(request: ReleaseRequest, signal: AbortSignal): Promise<ReleasePlan> {
    const { helm, live, identities, key } = this.#deps;
    const { release, chart, onBehalfOf, values } = request;
    const newest = await helm.readNewest(release);
    const isNew = newest === undefined || newest.status === 'uninstalled';
    const render = async (): Promise<RevisionContent> => {
      const decoded = await helm.render(request, { isNew, signal });
      const secrets = await secretDefaults(chart.folder);
      return { values: toContents(decoded).values, objects: await live.parse(decoded.manifest), notes: decoded.notes, secrets };
    };
    const first = await render();
    const second = await render();
    const { tree, version } = await helm.factsOf(request);
    const facts = {
      chart: tree,
      values: digestValues(values),
      stored: newest === undefined ? 'none' : toStableJson(newest),
      helm: version,
      account: actorOf(identities, onBehalfOf),
    };
    const before = isNew ? NOTHING : await this.#standing(release);
    const stored = newest?.revision ?? null;
    return planRelease({ facts, revision: chart.revision, stored, namespace: release.namespace, before, first, second, key: await key() });
  }

  /** Where the newest revision failed, Helm upgrades what was deployed before it. */
  async #standing(release: ReleaseRef): Promise<RevisionContent> {
    const { helm, live } = this.#deps;
    const history = await helm.readHistory(release);
    const revision = (history.findLast(({ status }) => status === 'deployed') ?? history.at(-1))?.revision;
    if (revision === undefined) return NOTHING;
    const stored = await helm.readRevision(release, revision);
    const secrets = secretsIn(stored.chart.values);
    return { values: stored.values, objects: await live.readAt(release, revision), notes: '', secrets };
  }
}
