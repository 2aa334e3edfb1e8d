import { AppError } from '@/lib/contract/app-error';
import type { ChangeFilter, ChangeRow, ChangeVerdict, ComparePage } from '@/lib/contract/change-rows';
import { countChanges, pageChanges } from '@/lib/contract/change-rows';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { Rendered } from '@/server/application';
import { garbageContextOf, readRevision, render, snapshotOf } from '@/server/application';
import type { Session } from '@/server/auth';
import type { LiveState, TrackerEntry } from '@/server/dispatch';
import { planGarbage, revisionNameOf } from '@/server/dispatch';
import type { CommandDeps, Place } from './command-deps';
import { applicationAt, readAs } from './command-deps';
import { rowOf } from './named-row';
import { diffObjects, isSame } from './object-diff';

/** Which revisions are compared, by name or as `v3`, and which part of the answer is wanted. */
export interface CompareRequest extends ChangeFilter {
  readonly from: string;
  readonly to: string;
  readonly page?: number | undefined;
}

interface RenderedRevision {
  readonly name: string;
  readonly rendered: Rendered;
}

/** Renders two revisions of an application as each was, and tells object by object what going from one to the other changes. */
export async function compareRevisions(deps: CommandDeps, session: Session, place: Place, request: CompareRequest): Promise<ComparePage> {
  await deps.auth.authorise(session, { kind: 'view-object', type: KINDS.application, ...place });
  const application = await readAs(deps, session, applicationAt(place));
  const from = await readRendered(deps, session, application, request.from);
  const to = await readRendered(deps, session, application, request.to);
  const changes = compareRendered(from, to, application);
  const { rows, total } = pageChanges(changes, request);
  return { ...countChanges(changes), from: from.name, to: to.name, total, rows: rows.map(withDiff) };
}

async function readRendered(deps: CommandDeps, session: Session, application: KubeObject, wanted: string): Promise<RenderedRevision> {
  const { name: appName = '', namespace = '' } = application.metadata;
  const name = /^v\d+$/.test(wanted) ? `${appName}-${wanted}` : wanted;
  await deps.auth.authorise(session, { kind: 'view-object', type: KINDS.applicationRevision, ns: namespace, name });
  const stored = readRevision(await readAs(deps, session, { ...KINDS.applicationRevision, namespace, name }));
  if (stored === undefined || stored.name !== revisionNameOf(appName, stored.number)) {
    throw new AppError(
      'invalid',
      `"${wanted}" is not a revision of Application ${appName} in ${namespace}; revisions are named v1, v2 and so on`,
    );
  }
  const snapshot = snapshotOf(stored, application);
  return { name, rendered: render(snapshot, name, { revisionHash: stored.hash }) };
}

function withDiff({ before, after, ...row }: Compared): ChangeRow {
  const diff = before !== undefined && after !== undefined ? diffObjects(before, after) : null;
  return { ...row, diff: diff === null ? null : [...diff] };
}

type Compared = Omit<ChangeRow, 'diff'> & { readonly before?: KubeObject; readonly after?: KubeObject };

/** Rendering is pure, so two revisions are compared without the cluster: what either would put there, and what the policies say about the rest. */
function compareRendered(from: RenderedRevision, to: RenderedRevision, application: KubeObject): readonly Compared[] {
  const olds = byId(from.rendered);
  const plan = planGarbage(
    { name: from.name, uid: 'from', entries: [...olds.values()].map(toEntry) },
    { name: to.name, uid: 'to', entries: to.rendered.manifests.map(toEntry) },
    { ...garbageContextOf(application), live: (entry) => toLive(olds.get(rowOf(entry).id)) },
  );
  const news = byId(to.rendered);
  return plan.items.map(({ entry, verdict, why }): Compared => {
    const row = { ...rowOf(entry), uid: null, blast: [] };
    const [before, after] = [olds.get(row.id), news.get(row.id)];
    if (before !== undefined && after !== undefined) return { ...row, ...shared(before, after, { from, to, verdict }) };
    if (after !== undefined) return { ...row, ...added(after, from, to) };
    return { ...row, verdict, why: verdict === 'deleted' ? `${to.name} does not have it` : why };
  });
}

interface Shared {
  readonly from: RenderedRevision;
  readonly to: RenderedRevision;
  /** What a collection makes of an object that both have. */
  readonly verdict: ChangeVerdict;
}

function shared(
  before: KubeObject,
  after: KubeObject,
  { from, to, verdict }: Shared,
): Pick<Compared, 'verdict' | 'why' | 'before' | 'after'> {
  if (!isSame(before, after)) return { verdict: 'changed', why: `${to.name} has it otherwise`, before, after };
  if (from.name === to.name) return { verdict: 'kept', why: 'it is the same revision' };
  return { verdict, why: `both have the same; ${to.name} takes it over` };
}

/** A workload that a rollout moves has a name for each revision; it is told beside the one whose place it takes. */
function added(after: KubeObject, from: RenderedRevision, to: RenderedRevision): Pick<Compared, 'verdict' | 'why' | 'before' | 'after'> {
  const found = Object.entries(to.rendered.workloads).find(
    ([, { kind, name, staged }]) => staged && kind === after.kind && name === after.metadata.name,
  );
  const old = found && from.rendered.workloads[found[0]];
  const before = old && from.rendered.manifests.find(({ kind, metadata }) => kind === old.kind && metadata.name === old.name);
  if (old === undefined || before === undefined) return { verdict: 'new', why: `only ${to.name} has it` };
  return { verdict: 'new', why: `it replaces ${old.name} stage by stage`, before, after };
}

function byId({ manifests }: Rendered): ReadonlyMap<string, KubeObject> {
  return new Map(manifests.map((manifest) => [rowOf(toEntry(manifest)).id, manifest]));
}

function toEntry({ apiVersion, kind, metadata: { name = '', namespace } }: KubeObject): TrackerEntry {
  return { apiVersion, kind, name, ...(namespace ? { namespace } : {}), cluster: 'local', component: '', deleted: false, skipGC: false };
}

/** What a revision renders counts as being there. */
function toLive(object: KubeObject | undefined): LiveState {
  return object === undefined ? { kind: 'absent' } : { kind: 'present', object };
}
