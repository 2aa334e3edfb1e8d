import type { KubeObject } from '@/lib/kube/object';
import { groupOf } from '@/lib/kube/object';
import type { GarbagePlan, LiveState, ResourceTracker, TrackerEntry } from '@/server/dispatch';
import { constructResourceTrackerName, planGarbage } from '@/server/dispatch';
import type { ParsedApplication, Rendered } from './model';
import { parseApplication } from './parse';
import { render } from './render/render';
import { hashOf, nextRevision } from './revision';

/** What a preview is made from: the cluster as one screen sees it. */
export interface PreviewSnapshot {
  readonly revisions: readonly KubeObject[];
  /** Trackers of the application. */
  readonly trackers: readonly ResourceTracker[];
  readonly live: (entry: TrackerEntry) => LiveState;
}

/** What saving an application would come to. Nothing is written. */
export interface RenderPreview {
  readonly application: ParsedApplication;
  readonly revision: { readonly name: string; readonly hash: string; readonly isNew: boolean };
  readonly rendered: Rendered;
  /** What would be collected in the end; undefined when nothing ran before. */
  readonly garbage: GarbagePlan | undefined;
}

/** Renders an application as it would be after a change, and plans what would go. Throws AppError `invalid`. */
export function renderPreview(object: KubeObject, snapshot: PreviewSnapshot): RenderPreview {
  const application = parseApplication(object);
  const hash = hashOf(application);
  const { name, stored } = nextRevision(application, snapshot.revisions, snapshot.trackers);
  const rendered = render(application, name, { revisionHash: hash });
  return { application, revision: { name, hash, isNew: stored === undefined }, rendered, garbage: planAgainst(application, name, rendered, snapshot) };
}

function planAgainst(application: ParsedApplication, revisionName: string, rendered: Rendered, { trackers, live }: PreviewSnapshot): GarbagePlan | undefined {
  const name = constructResourceTrackerName(revisionName, application.namespace);
  const olds = trackers.filter((tracker) => tracker.name !== name);
  if (olds.length === 0) return undefined;
  // A record without a namespace tells that its kind has none, whatever the manifest says.
  const bare = new Set(olds.flatMap((old) => old.entries.flatMap((entry) => (entry.namespace === undefined ? kindOf(entry) : []))));
  const entries = rendered.manifests.map(({ apiVersion, kind, metadata: { name: objectName = '', namespace } }): TrackerEntry => {
    const place = namespace === undefined || bare.has(kindOf({ apiVersion, kind })) ? {} : { namespace };
    return { apiVersion, kind, name: objectName, ...place, cluster: 'local', component: '', deleted: false, skipGC: false };
  });
  return planGarbage(
    olds,
    { name, uid: '', entries },
    {
      live,
      components: application.spec.components.map((component) => component.name),
      application,
      policy: application.policies.garbage,
    },
  );
}

const kindOf = ({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }) => `${groupOf(apiVersion)}/${kind}`;
