import { AppError } from '@/lib/contract/app-error';
import { FLUX_KIND_NAMES, FLUX_SOURCE_NAMES } from '@/lib/contract/flux-kind';
import type { Topic } from '@/lib/contract/topic';
import type { TypeRef } from '@/lib/kube/object';
import { assertNever } from '@/lib/std/exhaustive';
import type { Instant } from '@/lib/std/instant';
import type { Cluster } from '@/server/kube';
import { describeRight, findResource, isNoMatch, placeOfRight, toKindRef } from '@/server/kube';
import type { AccessReviews } from './access-review';
import type { Act, Grant, Right } from './act';
import { FLUX_RESOURCES, RESOURCES } from './act';
import { changeRights } from './rights/change-rights';
import { decisionRights } from './rights/decision-rights';
import type { RequireMonitor } from './rights/monitor';
import { podRights } from './rights/pod-rights';
import { refusal, refusedAsError } from './rights/refusal';
import { LISTED_OLDER_RELEASES, LISTED_RELEASES, releasesOf } from './rights/release-rights';
import type { Namespaces, RightsCheck } from './rights/rights-check';
import {
  FULL_VISIBILITY,
  inBoth,
  NO_VISIBILITY,
  namespacesWithAll,
  requireAny,
  requireRights,
  requireVisibleInAll,
  requireVisibleNamespaces,
  visibleNamespaces,
} from './rights/rights-check';
import type { Session } from './session';

/** What Kubernetes calls what is done to an object. */
const RIGHT_TO = { edit: 'update', restart: 'patch', scale: 'patch', delete: 'delete' } as const;

const list = (resource: (typeof RESOURCES)[keyof typeof RESOURCES]): Right => ({ verb: 'list', ...resource });

/** Decides whether a session may act; throws unauthenticated or forbidden with a sentence, else tells what it may see. No answer from before an instant will do where one is given. */
export type Authorise = (session: Session | undefined, act: Act, notBefore?: Instant) => Promise<Grant>;

/** What the read model knows, and rights depend on. */
export type AuthFacts = Pick<RightsCheck, 'servesFlux' | 'trackedBy'>;

export interface AuthoriseDeps {
  readonly cluster: Cluster;
  readonly reviews: AccessReviews;
  /** What is known of the cluster besides rights; absent, it has no Flux, and no tracker is of an application. */
  readonly known?: AuthFacts | undefined;
  /** How monitors are known; by no token where this is absent. */
  readonly requireMonitor?: RequireMonitor | undefined;
}

/** The one function that every route, topic and command passes. */
export function createAuthorise({ cluster, reviews, known, requireMonitor }: AuthoriseDeps): Authorise {
  const { servesFlux = () => false, trackedBy = () => undefined }: Partial<AuthFacts> = known ?? {};
  return async (session, act, notBefore) => {
    if (act.kind === 'enter' || act.kind === 'call-hook' || (act.kind === 'measure' && act.fromLoopback)) return FULL_VISIBILITY;
    if (act.kind === 'probe') return session !== undefined || act.fromLoopback ? FULL_VISIBILITY : NO_VISIBILITY;
    if (session === undefined && act.kind === 'measure' && act.bearer !== undefined && requireMonitor !== undefined) {
      await requireMonitor(act.bearer);
      return FULL_VISIBILITY;
    }
    if (session === undefined) throw new AppError('unauthenticated', 'you are not signed in, or your session has ended; sign in again');
    return evaluate(
      {
        session,
        may: (right) => reviews.may(session, right, notBefore),
        namespacesWith: (right) => reviews.namespacesWith(session, right, notBefore),
        cluster,
        servesFlux,
        trackedBy,
      },
      act,
    );
  };
}

async function evaluate(asking: RightsCheck, act: Exclude<Act, { readonly kind: 'enter' | 'call-hook' | 'probe' }>): Promise<Grant> {
  switch (act.kind) {
    case 'measure':
    case 'see-self':
      return FULL_VISIBILITY;
    case 'invite':
      return mayInvite(asking.session);
    case 'see-sessions':
    case 'end-session':
      return requireRights(asking, { verb: act.kind === 'see-sessions' ? 'list' : 'delete', ...RESOURCES.sessions });
    case 'view-topic':
      return viewTopic(asking, act.topic);
    case 'view-object':
      return viewObject(asking, act);
    case 'view-status':
      return viewStatus(asking, act);
    case 'view-logs':
      return viewLogs(asking, act);
    case 'open-terminal':
    case 'forward-ports':
      return requireRights(asking, ...podRights(act));
    case 'view-kind':
      return viewKind(asking, act);
    case 'view-record':
      return requireVisibleNamespaces(asking, list(RESOURCES.applications), act.ns);
    case 'view-undeclared':
      return requireRights(asking, ...LISTED_RELEASES.map((right) => ({ ...right, namespace: act.ns })));
    case 'decide':
    case 'decide-release':
      return requireRights(asking, ...decisionRights(act));
    case 'change-release':
    case 'delete-release':
    case 'uninstall-undeclared':
    case 'act-on-flux':
    case 'create-application':
    case 'change-application':
    case 'delete-application':
      return requireRights(asking, ...changeRights(act));
    case 'create-somewhere':
      return requireVisibleNamespaces(asking, { verb: 'create', ...RESOURCES.applications }, undefined);
    case 'act-on-object':
      return requireRights(asking, { ...(await rightToGet(asking, act)), verb: RIGHT_TO[act.verb], name: act.name });
    case 'write-object':
      return requireRights(asking, act.right);
    default:
      return assertNever(act);
  }
}

async function viewTopic(asking: RightsCheck, topic: Topic): Promise<Grant> {
  switch (topic.kind) {
    case 'status':
      // The frame of every page: whoever is signed in sees whether the cluster answers, and counts of what they may see.
      return withReleases(asking, await visibleNamespaces(asking, list(RESOURCES.applications), undefined));
    case 'inbox':
      return withReleases(asking, await requireVisibleNamespaces(asking, list(RESOURCES.applications), undefined));
    case 'applications':
    case 'activity':
      return requireVisibleNamespaces(asking, list(RESOURCES.applications), topic.query.ns);
    case 'rollouts':
      return requireVisibleNamespaces(asking, list(RESOURCES.rollouts), topic.query.ns);
    case 'releases':
      return seeReleases(asking, topic.query.ns);
    case 'flux':
      return requireAny(asking, { verb: 'get', ...FLUX_RESOURCES[topic.of], namespace: topic.ns }, topic.name);
    case 'flux-sources':
      return requireVisibleInAll(
        asking,
        FLUX_SOURCE_NAMES.map((name) => ({ verb: 'list', ...FLUX_RESOURCES[name] })),
        topic.query.ns,
      );
    case 'facets':
      return viewTopic(asking, { kind: topic.of, query: {} });
    case 'trackers':
    case 'strays':
      return requireVisibleNamespaces(asking, list(RESOURCES.trackers), topic.query.ns);
    case 'engine':
      return requireRights(asking, list(RESOURCES.applications));
    case 'application':
    case 'tree':
    case 'tree-location':
    case 'tree-facets':
    case 'graph':
    case 'ledger':
    case 'ledger-page':
      return requireAny(asking, { verb: 'get', ...RESOURCES.applications, namespace: topic.ns }, topic.name);
    case 'rollout':
      return requireAny(asking, { verb: 'get', ...RESOURCES.rollouts, namespace: topic.ns }, topic.name);
    case 'release':
      return requireAny(asking, { verb: 'get', ...releasesOf(topic.of), namespace: topic.ns }, topic.name);
    case 'tracker':
      return viewTracker(asking, topic.name);
  }
}

/**
 * Trackers have no namespace, and rights that are held in one give none to them. But each is what an application applied, and the pages of that
 * tell the same: whoever may read the application may read its trackers, and so may whoever sees them in the list of its namespace.
 */
async function viewTracker(asking: RightsCheck, name: string): Promise<Grant> {
  const right: Right = { verb: 'get', ...RESOURCES.trackers };
  const of = asking.trackedBy(name);
  const ofApplication = of && { verb: 'get', ...RESOURCES.applications, namespace: of.ns };
  const ways = [
    right,
    { ...right, name },
    ...(ofApplication ? [ofApplication, { ...ofApplication, name: of.name }, { ...right, namespace: of.ns }] : []),
  ];
  for (const way of ways) if (await asking.may(way)) return FULL_VISIBILITY;
  // The same words whether there is such a tracker or not.
  throw refusal(asking.session, `${describeRight({ ...right, name })}, or "get" on its application`, [{ ...right, name }]);
}

async function viewLogs(asking: RightsCheck, { ns, pod, application }: Act & { readonly kind: 'view-logs' }): Promise<Grant> {
  const pods = { group: '', resource: 'pods', namespace: ns };
  const log = { verb: 'get', ...pods, subresource: 'log' };
  if (application !== undefined) await viewTopic(asking, { kind: 'application', ns, name: application });
  if (pod === undefined) return requireRights(asking, { verb: 'list', ...pods }, log);
  await requireAny(asking, { verb: 'get', ...pods }, pod);
  return requireAny(asking, log, pod);
}

async function viewObject(asking: RightsCheck, act: Act & { readonly kind: 'view-object' }): Promise<Grant> {
  return requireRights(asking, { ...(await rightToGet(asking, act)), name: act.name });
}

const viewStatus = async (asking: RightsCheck, act: Act & { readonly kind: 'view-status' }): Promise<Grant> =>
  requireAny(asking, await rightToGet(asking, act), act.name);

async function viewKind(asking: RightsCheck, { verb, of, ns, name }: Act & { readonly kind: 'view-kind' }): Promise<Grant> {
  const { group, plural, namespaced } = await findResource(asking.cluster.discovery, of).catch((error: unknown) => {
    if (!isNoMatch(error)) throw error;
    throw new AppError('not-found', `the cluster serves no ${of.named}${of.group === '' ? '' : ` in ${of.group}`}`);
  });
  if (namespaced && name !== undefined && ns === undefined) throw new AppError('invalid', `${plural} are namespaced: name the namespace`);
  const everywhere = { verb, group, resource: plural, ...placeOfRight({ namespaced }, undefined) };
  if (await asking.may(everywhere)) return FULL_VISIBILITY;
  const right = { ...everywhere, ...placeOfRight({ namespaced }, ns) };
  return name === undefined ? requireRights(asking, right) : requireAny(asking, right, name);
}

/** What is wanted for all objects of a kind where the act is about one of them. */
async function rightToGet(
  { cluster }: RightsCheck,
  { type, ns }: { readonly type: TypeRef; readonly ns: string | undefined },
): Promise<Right> {
  const resource = await cluster.discovery.resolveKind(toKindRef(type)).catch((error: unknown) => {
    if (isNoMatch(error))
      throw new AppError('not-found', `the cluster serves no kind ${type.kind} in ${type.apiVersion} or any other version`);
    throw error;
  });
  return { verb: 'get', group: resource.group, resource: resource.plural, ...placeOfRight(resource, ns ?? 'default') };
}

function mayInvite(session: Session): Grant {
  if (session.mayInvite) return FULL_VISIBILITY;
  throw new AppError('forbidden', `only the first session of the demonstration may create links for other roles, not ${session.user}`);
}

/** The inbox is about applications, and tells of releases where they may be listed as well, and of Flux where all of its kinds may be. */
async function withReleases(asking: RightsCheck, { visibility }: Grant): Promise<Grant> {
  const [releases, flux] = await Promise.all([
    namespacesWithAll(asking, LISTED_RELEASES, visibility),
    asking.servesFlux()
      ? namespacesWithAll(
          asking,
          FLUX_KIND_NAMES.map((name) => ({ verb: 'list', ...FLUX_RESOURCES[name] })),
          visibility,
        )
      : undefined,
  ]);
  const olderReleases = releases && (await namespacesWithAll(asking, [LISTED_OLDER_RELEASES], releases));
  return { visibility, ...(releases && { releases }), ...(olderReleases && { olderReleases }), ...(flux && { flux }) };
}

/**
 * One table shows the resources of all kinds that are driven here, so it shows the namespaces in which the two kinds of its right may be listed, and those
 * of the older kind where that may be as well; beside them those that Flux drives, by the right to list them. Whoever may list either sees a table.
 */
async function seeReleases(asking: RightsCheck, namespaces: Namespaces): Promise<Grant> {
  const own = await requireVisibleInAll(asking, LISTED_RELEASES, namespaces).catch(refusedAsError);
  const { visibility: releases } = await visibleNamespaces(asking, { verb: 'list', ...FLUX_RESOURCES['helmrelease-v2'] }, namespaces);
  if (!(own instanceof Error)) {
    const older = await visibleNamespaces(asking, LISTED_OLDER_RELEASES, namespaces);
    return { visibility: own.visibility, releases, olderReleases: inBoth(own.visibility, older.visibility) };
  }
  if (releases.length === 0) throw own;
  return { visibility: [], releases };
}
