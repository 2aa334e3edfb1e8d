import { AppError } from '@/lib/contract/app-error';
import type { EditableRelease, ReleaseEditRequest } from '@/lib/contract/release-edit';
import type { ReleaseKindName } from '@/lib/contract/release-kind';
import { RELEASE_TYPES } from '@/lib/contract/release-kind';
import type { Fields } from '@/lib/kube/fields';
import { readFields, readString } from '@/lib/kube/fields';
import { describeResource, KINDS, PLAN } from '@/lib/kube/kinds';
import { maskForReading } from '@/lib/kube/mask';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { actWithAudit } from '@/server/application';
import type { Session } from '@/server/auth';
import { retryOnConflict, toPlanText } from '@/server/kube';
import type { Accepted, CommandDeps, Place } from '../command-deps';
import { FIELD_MANAGER, readAs, toAccepted } from '../command-deps';
import { HIDDEN_HINT } from '../editor/kept-values';
import { toYaml } from '../manifest-text';
import { requireSame } from '../stage-decision';
import { withKeptReleaseValues } from './kept-release-values';

/** A resource that declares a release, as a request names it. */
export interface ReleaseAt extends Place {
  readonly kind: ReleaseKindName;
}

/** A change as the cluster would keep it, and what it was made on. */
export interface ReleaseDraft {
  readonly object: KubeObject;
  readonly held: KubeObject;
}

/** The values and the chart of a release as people edit them, read as the person; what the chart says of its values is another's to tell. */
export async function readEditable(
  deps: CommandDeps,
  session: Session,
  at: ReleaseAt,
): Promise<Omit<EditableRelease, 'schema' | 'schemaLacks'> & { readonly object: KubeObject }> {
  const address = addressOf(at);
  await deps.auth.authorise(session, { kind: 'view-object', type: address, ns: at.ns, name: at.name });
  const object = await readAs(deps, session, address);
  const { uid = '', generation = 1 } = object.metadata;
  const { value, masked } = maskForReading(readFields(object, 'spec', 'values'));
  const text = Object.keys(value as Fields).length === 0 ? '' : toYaml(value); // masking keeps a map a map
  return { object, uid, generation, values: masked ? `${HIDDEN_HINT}${text}` : text, chart: chartOf(object) };
}

/** What a change would make of the resource: tried out as the person, so that what the cluster refuses them is told before anything is shown. */
export async function draftRelease(deps: CommandDeps, session: Session, place: Place, request: ReleaseEditRequest): Promise<ReleaseDraft> {
  await deps.auth.authorise(session, { kind: 'change-release', of: request.kind, ...place });
  const written = await deps.texts.values(session, request.values);
  return retryOnConflict(async () => {
    const held = await readSeen(deps, session, { ...place, ...request });
    const object = withEdit(held, request, withKeptReleaseValues(written, readFields(held, 'spec', 'values')));
    const tried = await deps.cluster
      .as(session.person)
      .update(object, { fieldManager: FIELD_MANAGER, fieldValidation: 'Strict', dryRun: true });
    return { object: tried, held };
  });
}

/** Writes other values, or another version of the chart, as the person, together with the plan that they saw: chart sync does that or nothing. */
export async function editRelease(deps: CommandDeps, session: Session, place: Place, request: ReleaseEditRequest): Promise<Accepted> {
  const { kind, plan } = request;
  await deps.auth.authorise(session, { kind: 'change-release', of: kind, ...place });
  if (plan === undefined) throw new AppError('invalid', 'a change of a release needs the plan that was seen; preview it first');
  requireEngine(deps, place);
  const written = await deps.texts.values(session, request.values);
  // What the engine writes into its status meanwhile changes nothing of what was seen.
  return retryOnConflict(async () => {
    const held = await readSeen(deps, session, { ...place, ...request });
    const object = withEdit(held, request, withKeptReleaseValues(written, readFields(held, 'spec', 'values')));
    const message = `changes ${describeResource({ ...held, ...held.metadata })}, to be released as previewed`;
    return toAccepted(await writePlanned(deps, session, { object, plan, action: 'release.edit', message }));
  });
}

interface PlannedWrite {
  readonly object: KubeObject;
  readonly plan: string;
  readonly action: string;
  readonly message: string;
}

/** Writes a resource as the person, with the plan bound to the spec as the cluster keeps it. */
export async function writePlanned(
  deps: CommandDeps,
  session: Session,
  { object, plan, action, message }: PlannedWrite,
): Promise<KubeObject> {
  await deps.requireRecord();
  const { apiVersion, kind, metadata } = object;
  const about = { apiVersion, kind, namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
  const act = deps.ids.uuid();
  const entry = { id: act, at: deps.clock.now(), actor: session.person.user, action, about, message, data: { plan } };
  const cluster = deps.cluster.as(session.person);
  return actWithAudit<KubeObject>(deps.record, entry, {
    send: (dryRun, tried) => {
      const annotations = { ...metadata.annotations, [PLAN.seen]: toPlanText(tried?.spec ?? object.spec, { digest: plan, act }) };
      return cluster.update(
        { ...object, metadata: { ...metadata, annotations } },
        { fieldManager: FIELD_MANAGER, fieldValidation: 'Strict', dryRun },
      );
    },
  });
}

/** The resource as it was seen; anything else there now is a conflict. */
export async function readSeen(
  deps: CommandDeps,
  session: Session,
  { uid, generation, ...at }: ReleaseAt & Pick<ReleaseEditRequest, 'uid' | 'generation'>,
): Promise<KubeObject> {
  const held = await readAs(deps, session, addressOf(at));
  requireSame(held, uid);
  if (held.metadata.generation === generation) return held;
  throw new AppError('conflict', `${describeResource({ ...held, ...held.metadata })} was changed since you opened it; review it again`);
}

/** Where nobody would release it, or what was seen is old, nothing is written. */
export function requireEngine(deps: CommandDeps, place: Place): void {
  const { stale } = deps.freshness(place);
  if (stale !== null)
    throw new AppError('stale', `changing a release needs fresh data, and what you see is from ${stale.since}: ${stale.reason}`);
  const why = deps.installation.stateOf('chartsync').why;
  if (why !== null) throw new AppError('unavailable', `it would not be released as previewed: ${why}`);
}

/** Where a resource lives that declares a release. */
export function addressOf({ kind, ns, name }: ReleaseAt): ObjectAddress {
  return { ...RELEASE_TYPES[kind], namespace: ns, name };
}

function chartOf(object: KubeObject): EditableRelease['chart'] {
  if (object.kind === KINDS.fluxHelmRelease.kind) return null;
  const field = readString(object, 'spec', 'chart', 'repository') ? 'version' : 'ref';
  return { field, value: readString(object, 'spec', 'chart', field) ?? '' };
}

function withEdit(held: KubeObject, { chart }: Pick<ReleaseEditRequest, 'chart'>, values: Fields): KubeObject {
  const spec = readFields(held, 'spec');
  const open = chartOf(held);
  if (chart !== undefined && open === null)
    throw new AppError('invalid', 'the chart of a FluxHelmRelease is of the branch that the server follows; it has no other');
  const moved =
    chart === undefined || open === null || chart === open.value ? {} : { chart: { ...readFields(spec, 'chart'), [open.field]: chart } };
  const { values: _old, ...rest } = spec;
  return { ...held, spec: { ...rest, ...moved, ...(Object.keys(values).length === 0 ? {} : { values }) } };
}
