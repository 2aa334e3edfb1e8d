import { readFields, readNumber } from '@/lib/kube/fields';
import type { KubeObject } from '@/lib/kube/object';
import { deepEqual } from '@/lib/std/deep-equal';
import type { ControllerHost } from '../../host';
import { ownedOf } from '../claim';
import { deleteExactly, toControllerReference } from '../writes';
import { hashTemplate } from './deployment/template-hash';
import { templateOf } from './pod-control';

const CONTROLLER_REVISION = { apiVersion: 'apps/v1', kind: 'ControllerRevision' };

/** One template that a StatefulSet or DaemonSet has had. */
export interface Revision {
  readonly object: KubeObject;
  readonly name: string;
  readonly hash: string;
  readonly number: number;
  readonly template: unknown;
}

/** The revisions of a workload, the present one apart. */
export interface History {
  readonly update: Revision;
  readonly all: readonly Revision[];
}

/** Reads the history of a workload and records its present template as the newest revision: found again, made, or moved to the front. */
export async function syncHistory(host: ControllerHost, owner: KubeObject, hashLabel: string): Promise<History> {
  const all = ownedOf(host, owner.metadata.uid ?? '', CONTROLLER_REVISION)
    .map((object) => toRevision(object, hashLabel))
    .sort((a, b) => a.number - b.number);
  const template = templateOf(owner);
  const next = (all.at(-1)?.number ?? 0) + 1;
  const equal = all.findLast((revision) => deepEqual(revision.template, template));
  if (equal && equal === all.at(-1)) return { update: equal, all };
  if (equal) {
    const update = toRevision(await host.cluster.update({ ...equal.object, revision: next }), hashLabel);
    return { update, all: [...all.filter((revision) => revision !== equal), update] };
  }
  const made = toRevision(await host.cluster.create(toObject(owner, { template, number: next, hashLabel })), hashLabel);
  return { update: made, all: [...all, made] };
}

/** Deletes the oldest revisions beyond the limit; those in use stay. */
export async function trimHistory(host: ControllerHost, owner: KubeObject, { all }: History, used: ReadonlySet<string>): Promise<void> {
  const limit = readNumber(owner, 'spec', 'revisionHistoryLimit') ?? 10;
  const unused = all.filter((revision) => !used.has(revision.name) && !used.has(revision.hash));
  for (const revision of unused.slice(0, Math.max(0, unused.length - limit))) await deleteExactly(host, revision.object);
}

function toObject(owner: KubeObject, at: { template: unknown; number: number; hashLabel: string }): KubeObject {
  const hash = hashTemplate(at.template, readNumber(owner, 'status', 'collisionCount') ?? 0);
  const { name = '', namespace = '' } = owner.metadata;
  const labels = { ...readFields(at.template, 'metadata', 'labels'), [at.hashLabel]: hash } as Record<string, string>;
  return {
    ...CONTROLLER_REVISION,
    metadata: { name: `${name}-${hash}`, namespace, labels, ownerReferences: [toControllerReference(owner)] },
    data: { spec: { template: { ...readFields(at.template), $patch: 'replace' } } },
    revision: at.number,
  };
}

function toRevision(object: KubeObject, hashLabel: string): Revision {
  const { $patch: _patch, ...template } = readFields(object, 'data', 'spec', 'template');
  const hash = object.metadata.labels?.[hashLabel] ?? '';
  return { object, name: object.metadata.name ?? '', hash, number: readNumber(object, 'revision') ?? 0, template };
}
