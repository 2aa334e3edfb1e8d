import type { ApplicationRow } from '@/lib/contract/application-rows';
import { severityOf } from '@/lib/contract/health';
import { readList } from '@/lib/kube/fields';
import { toObjectId, toObjectKey } from '@/lib/kube/object';
import type { DescribedRollout } from '../rollouts/describe';
import { isUnderWay } from '../rollouts/describe';
import type { ListShape } from '../views/list-view';
import { metadataOf } from '../views/metadata';
import type { ApplicationFacts } from './application-facts';
import { imagesOf } from './application-facts';
import { revisionOfWorkload } from './revision-state';

/** The line of the table of applications. */
export function toApplicationRow(facts: ApplicationFacts): ApplicationRow {
  const { application, rollout } = facts;
  const { namespace = '', name = '' } = application.metadata;
  const live = new Set(facts.objects.filter((one) => one.object !== undefined).map(toObjectId));
  return {
    key: toObjectKey(application.metadata),
    ns: namespace,
    name,
    health: facts.status.health,
    activity: facts.activity,
    waits: facts.waits ?? null,
    message: facts.status.message,
    revision: facts.revision ?? null,
    target: goesTo(name, rollout),
    stage: isUnderWay(rollout) ? { index: rollout.told.stageIndex, count: rollout.told.stageCount } : null,
    components: readList(application, 'spec', 'components').length,
    objects: live.size,
    drifted: facts.drift.drifted,
    left: facts.drift.left,
    images: [...imagesOf(application)],
    updatedAt: lastChangeOf(facts),
    ...metadataOf(application),
  };
}

/** The revision that a rollout goes to, named as the application names its revisions; an aborted one goes back to where it was. */
function goesTo(application: string, rollout: DescribedRollout | undefined): string | null {
  if (!isUnderWay(rollout) || rollout.told.abort !== null) return null;
  return revisionOfWorkload(application, rollout.told.to) ?? rollout.told.to;
}

function lastChangeOf({ application, trackers }: ApplicationFacts): string | null {
  const times = [application, ...trackers].map((object) => object.metadata.creationTimestamp ?? '').sort();
  return times.at(-1) || null;
}

export const applicationList: ListShape<ApplicationRow> = {
  namespaceOf: (row) => row.ns,
  text: (row) => `${row.ns}/${row.name} ${row.images.join(' ')}`,
  marks: (row) => row,
  filter: (row) => row.health,
  drifted: (row) => row.drifted > 0,
  sorts: {
    name: (row) => row.name,
    ns: (row) => `${row.ns}/${row.name}`,
    health: (row) => severityOf(row.health),
    activity: (row) => row.activity,
    objects: (row) => row.objects,
    drifted: (row) => row.drifted,
    updated: (row) => row.updatedAt ?? '',
  },
  defaultSort: 'health',
};
