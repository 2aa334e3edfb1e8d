import { AppError } from '@/lib/contract/app-error';
import type { FluxActRequest, FluxRights, ShownSource } from '@/lib/contract/flux-acts';
import type { FluxKindName, FluxVerb } from '@/lib/contract/flux-kind';
import { FLUX_RELEASE } from '@/lib/contract/flux-kind';
import type { FluxReference } from '@/lib/contract/flux-rows';
import { FLUX_KINDS } from '@/lib/kube/flux-kinds';
import type { KubeObject } from '@/lib/kube/object';
import { describeObject, toAddress } from '@/lib/kube/object';
import { toIso } from '@/lib/std/instant';
import { formatList } from '@/lib/words/figures';
import { actWithAudit } from '@/server/application';
import type { Session } from '@/server/auth';
import { chartSource, idleReason, isAddressOnly, sourceOf, toPatch, verbsOf } from '@/server/flux';
import { isConflict, isInvalid } from '@/server/kube';
import type { Accepted, CommandDeps, Place } from '../command-deps';
import { FIELD_MANAGER, readAs, toAccepted } from '../command-deps';
import { refusalReason } from '../read-rights';
import { requireSame } from '../stage-decision';

/** One object that is written, as it was read. */
interface Written {
  readonly kind: FluxKindName;
  readonly object: KubeObject;
}

/**
 * Asks something of Flux, as the person: an annotation or `spec.suspend` of the object that was seen. Sources that are to be fetched first are
 * asked before the release, each with the right to it. The server itself never writes to objects of Flux, whatever it may.
 */
export async function actOnFlux(deps: CommandDeps, session: Session, place: Place, request: FluxActRequest): Promise<Accepted> {
  const { kind, verb, uid, generation } = request;
  await deps.auth.authorise(session, { kind: 'act-on-flux', of: kind, ...place });
  if (!verbsOf(kind).includes(verb)) throw new AppError('invalid', `Flux has no ${verb} for a ${FLUX_KINDS[kind].kind}`);
  requireFresh(deps, place, verb);
  const object = await readAs(deps, session, { ...FLUX_KINDS[kind], namespace: place.ns, name: place.name });
  requireSame(object, uid);
  if ((object.metadata.generation ?? 0) !== generation)
    throw new AppError(
      'conflict',
      `${describeObject({ kind: object.kind, ...object.metadata })} was changed since you opened it; review it again`,
    );
  const idle = idleReason(object, verb);
  if (idle !== null) throw new AppError('rejected', idle);
  const sources = request.sources === undefined ? [] : await seenSources(deps, session, { kind, object }, request.sources);
  if (verb !== 'suspend') await deps.requireRecord(); // what stops is never refused for that
  const token = toIso(deps.clock.now());
  for (const source of sources) await write(deps, session, source, { verb: 'reconcile', token, reason: undefined, before: [] });
  const before = sources.map((source) => describeObject({ kind: source.object.kind, ...source.object.metadata }));
  return toAccepted(await write(deps, session, { kind, object }, { verb, token, reason: request.reason, before }));
}

/** What a person may ask of Flux about an object, verb by verb: null, or the sentence why not. */
export async function readFluxRights(
  deps: CommandDeps,
  session: Session,
  { kind, ...place }: Place & { readonly kind: FluxKindName },
): Promise<FluxRights> {
  const why = await refusalReason(deps, session, [{ kind: 'act-on-flux', of: kind, ...place }]); // one right for all: every act is a patch
  return Object.fromEntries(verbsOf(kind).map((verb) => [verb, why])) as FluxRights; // one entry per verb of the kind
}

function requireFresh(deps: CommandDeps, place: Place, verb: FluxVerb): void {
  const { stale } = deps.freshness(place);
  if (stale !== null && verb !== 'suspend')
    throw new AppError('stale', `${verb} needs fresh data, and what you see is from ${stale.since}: ${stale.reason}`);
}

/** The sources of a release, the one that fetches first; refused where they are others than the page showed, or somebody may not ask one of them. */
async function seenSources(
  deps: CommandDeps,
  session: Session,
  { kind, object }: Written,
  seen: readonly ShownSource[],
): Promise<readonly Written[]> {
  if (kind !== FLUX_RELEASE)
    throw new AppError('invalid', `only a release is reconciled with its sources, and ${object.kind} is one itself`);
  const found: Written[] = [];
  for (let next = sourceOf(object); next !== null; ) {
    const source = await readSource(deps, session, next);
    if (source === undefined) break;
    // What only holds an address has nothing to fetch.
    if (!isAddressOnly(source.object)) found.unshift(source);
    next = source.kind === 'helmchart' ? chartSource(source.object) : null;
  }
  const named = found.map(({ kind: of, object: { metadata } }) => ({
    kind: of,
    ns: metadata.namespace,
    name: metadata.name,
    uid: metadata.uid,
  }));
  const isAsSeen = named.map(toText).sort().join() === seen.map(toText).sort().join();
  if (!isAsSeen)
    throw new AppError(
      'conflict',
      `the sources of ${object.metadata.name} have changed since you opened it: ${formatNames(named)}; review it again`,
    );
  for (const { object: source } of found) {
    const idle = idleReason(source, 'reconcile');
    if (idle !== null) throw new AppError('rejected', idle);
  }
  return found;
}

async function readSource(deps: CommandDeps, session: Session, { page, ns, name }: FluxReference): Promise<Written | undefined> {
  if (page === null) return undefined; // of a kind that is not shown, a Bucket for instance
  await deps.auth.authorise(session, { kind: 'act-on-flux', of: page, ns, name });
  return { kind: page, object: await readAs(deps, session, { ...FLUX_KINDS[page], namespace: ns, name }) };
}

const toText = ({ kind, ns, name, uid }: Record<'kind' | 'ns' | 'name' | 'uid', string | undefined>) => `${kind} ${ns}/${name} ${uid}`;
const formatNames = (named: readonly { readonly kind: string; readonly name: string | undefined }[]) =>
  named.length === 0 ? 'it has none' : formatList(named.map(({ kind, name }) => `${kind} ${name}`));

interface Asked {
  readonly verb: FluxVerb;
  readonly token: string;
  readonly reason: string | undefined;
  /** The sources that were asked for first. */
  readonly before: readonly string[];
}

const MESSAGES: Readonly<Record<FluxVerb, string>> = {
  reconcile: 'asks Flux to reconcile it now',
  force: 'asks Flux to install or upgrade it once, whether anything differs or not',
  reset: 'asks Flux to reset its failure counts and to retry',
  suspend: 'suspends it',
  resume: 'resumes it',
};

async function write(
  deps: CommandDeps,
  session: Session,
  { object }: Written,
  { verb, token, reason, before }: Asked,
): Promise<KubeObject> {
  const { uid = '', generation = 0 } = object.metadata;
  const at = toAddress(object);
  const message = `${MESSAGES[verb]}${before.length === 0 ? '' : `, after ${formatList(before)}`}${reason ? `: ${reason}` : ''}`;
  const entry = { id: deps.ids.uuid(), at: deps.clock.now(), actor: session.person.user, action: `flux.${verb}`, about: at, message };
  const cluster = deps.cluster.as(session.person);
  const patch = toPatch(verb, { uid, generation, token });
  return actWithAudit<KubeObject>(verb === 'suspend' ? deps.recordStop : deps.record, entry, {
    send: (dryRun) =>
      cluster.patch(at, patch, { fieldManager: FIELD_MANAGER, dryRun }).catch((error: unknown) => {
        // Both tests of the patch are of what was read a moment ago.
        const isOther = isConflict(error) || (patch.type === 'json' && isInvalid(error));
        if (isOther)
          throw new AppError(
            'conflict',
            `${describeObject({ kind: object.kind, ...object.metadata })} was changed in the meantime; review it again`,
            {
              cause: error,
            },
          );
        throw error;
      }),
  });
}
