import type { ChangeRow, SavePreview } from '@/lib/contract/change-rows';
import { countChanges, inChangeOrder } from '@/lib/contract/change-rows';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject, TypeRef } from '@/lib/kube/object';
import type { RenderPreview } from '@/server/application';
import { renderPreview } from '@/server/application';
import type { Session } from '@/server/auth';
import { LABEL, readTracker } from '@/server/dispatch';
import type { Cluster } from '@/server/kube';
import type { CommandDeps } from './command-deps';
import { readStates, rowOf, stateOf } from './live-states';
import { previewObjects } from './preview-objects';

/** Renders an application as it would be and tells, object by object, what that changes; everything is read and tried as the person. */
export async function previewChanges(deps: CommandDeps, session: Session, application: KubeObject): Promise<SavePreview> {
  const cluster = deps.cluster.as(session.person);
  const { name = '', namespace = '' } = application.metadata;
  const revisions = await listAll(cluster, { ...KINDS.applicationRevision, namespace }, `${LABEL.appName}=${name}`);
  const found = await listAll(cluster, KINDS.resourceTracker, `${LABEL.appName}=${name}`);
  const trackers = found.filter((tracker) => tracker.metadata.labels?.[LABEL.appNamespace] === namespace).map(readTracker);
  const live = await readStates(
    cluster,
    trackers.flatMap((tracker) => tracker.entries),
  );
  const preview = renderPreview(application, { revisions, trackers, live: (entry) => stateOf(live, entry) });
  const changes = inChangeOrder([...(await previewObjects(cluster, preview, trackers)), ...collected(preview)]);
  const { name: revision, isNew } = preview.revision;
  return { ...countChanges(changes), revision: { name: revision, isNew }, changes: [...changes], refused: preview.garbage?.refused ?? null };
}

/** What the end of the change deletes, holds back or keeps; what is rendered anew is told with the rest. */
function collected({ garbage }: RenderPreview): readonly ChangeRow[] {
  const rest = garbage?.items.filter(({ verdict }) => verdict !== 'handed-over' && verdict !== 'new') ?? [];
  return rest.map(({ entry, verdict, why, uid }) => ({ ...rowOf(entry), uid: uid ?? null, verdict, why, blast: [], diff: null }));
}

async function listAll(cluster: Cluster, of: TypeRef & { readonly namespace?: string }, labelSelector: string): Promise<readonly KubeObject[]> {
  const items: KubeObject[] = [];
  for await (const page of cluster.list(of, { labelSelector })) items.push(...page.items);
  return items;
}
