import { AppError } from '@/lib/contract/app-error';
import type { UninstallRequest } from '@/lib/contract/release-decision';
import { RELEASE_TYPES } from '@/lib/contract/release-kind';
import { nameOfKind } from '@/lib/kube/kinds';
import { actWithAudit } from '@/server/application';
import type { Session } from '@/server/auth';
import { notUninstalledReason } from '@/server/chartsync';
import type { Accepted, CommandDeps, Place } from './command-deps';
import { readAs } from './command-deps';
import { requireSame } from './stage-decision';

/**
 * Uninstalls a release that a resource declares: deletes the resource, as the person, and chart sync has Helm uninstall what it declared. What would
 * leave the objects behind is refused.
 */
export async function uninstallRelease(deps: CommandDeps, session: Session, place: Place, request: UninstallRequest): Promise<Accepted> {
  const { kind, uid, reason } = request;
  await deps.auth.authorise(session, { kind: 'delete-release', of: kind, ...place });
  const { stale } = deps.freshness(place);
  if (stale !== null)
    throw new AppError('stale', `uninstalling needs fresh data, and what you see is from ${stale.since}: ${stale.reason}`);
  const type = RELEASE_TYPES[kind];
  const at = { ...type, namespace: place.ns, name: place.name };
  const resource = await readAs(deps, session, at);
  requireSame(resource, uid);
  const why = deps.installation.stateOf('chartsync').why;
  if (why !== null) throw new AppError('unavailable', `it would not be uninstalled: ${why}`);
  const left = notUninstalledReason(resource);
  if (left !== null) throw new AppError('conflict', `${left}, and its objects would stay; unlock or roll it back first`);
  await deps.requireRecord();
  const message = `${nameOfKind(type)} ${place.name} is deleted, so that Helm uninstalls what it declared${reason ? `: ${reason}` : ''}`;
  const entry = { id: deps.ids.uuid(), at: deps.clock.now(), actor: session.person.user, action: 'release.delete', about: at, message };
  const cluster = deps.cluster.as(session.person);
  await actWithAudit(deps.record, entry, { send: (dryRun) => cluster.delete(at, { preconditions: { uid }, dryRun }) });
  return { accepted: { kind: nameOfKind(type), ns: place.ns, name: place.name, uid } };
}
