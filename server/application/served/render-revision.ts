import type { KubeObject } from '@/lib/kube/object';
import { render } from '../render/render';
import type { Revision } from '../revision';
import { snapshotOf } from '../revision';
import type { Rendered } from '../spec/model';

/** Renders revisions of one application as they were stored, each once; throws AppError `invalid` for one that cannot be read. */
export type RenderRevision = (revision: Revision) => Rendered;

export function revisionRenderer(application: Pick<KubeObject, 'metadata'>): RenderRevision {
  const known = new Map<string, Rendered>();
  return (revision) => {
    const held = known.get(revision.name) ?? render(snapshotOf(revision, application), revision.name, { revisionHash: revision.hash });
    known.set(revision.name, held);
    return held;
  };
}
