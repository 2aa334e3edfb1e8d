import type { ChangeRow } from '@/lib/contract/change-rows';
import type { DriftedObject, RefusedObjects } from '@/lib/contract/drift-rows';
import type { KubeObject } from '@/lib/kube/object';
import { formatTerminating } from '@/lib/words/format-terminating';
import { notAppliedReason } from '@/server/application';
import type { Session } from '@/server/auth';
import type { CommandDeps, Place } from './command-deps';
import { applicationAt, readAs } from './command-deps';
import { maskRows } from './mask-rows';
import { previewObjects } from './preview-objects';

const MAX_OBJECTS = 100;

/** The objects that the cluster does not take as the newest revision wants them, while the last try to apply it failed. */
export async function readRefused(deps: CommandDeps, session: Session, place: Place): Promise<RefusedObjects> {
  await deps.auth.authorise(session, { kind: 'view-topic', topic: { kind: 'application', ...place } });
  const { revision, rows, held } = await dryRunNewest(deps, session, place);
  const objects = rows.flatMap((row) => (row.masked ? [] : toRefused(row, held.get(row.id)))).slice(0, MAX_OBJECTS);
  return { revision, objects, more: rows.length - objects.length };
}

/** What became of trying the newest revision out. */
interface Tried {
  readonly revision: string | null;
  /** What the cluster refuses, masked for whoever looks. */
  readonly rows: readonly ChangeRow[];
  /** Ids of what it would change, so that is the application's own; what belongs to others is never among them. */
  readonly changes: ReadonlySet<string>;
  /** What holds those that are being deleted, by id. */
  readonly held: ReadonlyMap<string, readonly string[]>;
}

/** Tries what the newest revision writes without effect, as the server, who would write it, while the last try to apply it failed. */
export async function dryRunNewest(deps: CommandDeps, session: Session, place: Place): Promise<Tried> {
  const application = await readAs(deps, session, applicationAt(place));
  if (notAppliedReason(application)?.isRetried !== true) return { revision: null, rows: [], changes: new Set(), held: new Map() };
  const plan = await deps.planner.plan(application, session);
  const rows = (await previewObjects(deps.cluster, plan)).filter(({ verdict }) => verdict === 'refused');
  const changes = new Set(plan.objects.flatMap(({ id, verdict }) => (verdict === 'changed' ? id : [])));
  const held = new Map(
    plan.objects.flatMap(({ id, wanted }) => (isGoing(wanted?.live) ? [[id, wanted?.live?.metadata.finalizers ?? []]] : [])),
  );
  return { revision: plan.revision?.name ?? null, rows: await maskRows(deps, session, rows), changes, held };
}

const isGoing = (live: KubeObject | undefined) => live?.metadata.deletionTimestamp !== undefined;

function toRefused({ id, apiVersion, kind, ns, name, why }: ChangeRow, finalizers: readonly string[] | undefined): DriftedObject {
  const how =
    finalizers === undefined
      ? ({ state: 'refused', why } as const)
      : ({ state: 'terminating', why: formatTerminating(finalizers) } as const);
  return { id, apiVersion, kind, ns, name, component: null, ...how, fields: [], fieldCount: 0 };
}
