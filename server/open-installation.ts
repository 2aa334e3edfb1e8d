import { AppError, isAppError, messageOf } from '@/lib/contract/app-error';
import { KINDS } from '@/lib/kube/kinds';
import type { KubeObject } from '@/lib/kube/object';
import type { ChosenCluster } from '@/server/cluster-choice';
import type { Installation } from '@/server/installation';
import {
  findDriven,
  guardsRollouts,
  installMissing,
  readManifests,
  waitForAdmissionPolicy,
  watchInstallation,
} from '@/server/installation';
import type { Informers } from '@/server/kube';
import { FIELDS_WITH_ANNOTATIONS } from '@/server/rollout';
import type { StartupContext } from './startup-context';

/** What must be there: definitions everywhere; on a cluster of our own the roles of its people, on any other what ties a decision to its person. */
export async function installPrerequisites(
  { config, clock, log, ending }: StartupContext,
  { kind, cluster }: ChosenCluster,
): Promise<readonly KubeObject[]> {
  const definitions = await readManifests('deploy/crds');
  const policies = kind === 'embedded' ? [] : await readManifests('deploy');
  const roles = await readManifests('deploy/rbac/server.yaml');
  const ofMode = kind !== 'embedded' && config.auth === 'local' ? await readManifests('deploy/rbac/impersonation.yaml') : [];
  // The embedded cluster ties decisions to people by itself, and is the server's own; another one's roles are its owner's business.
  const ours =
    kind === 'embedded'
      ? [...(await readManifests('deploy/rbac/people.yaml')), ...(await readManifests('deploy/rbac/embedded/operator.yaml'))]
      : [...roles.filter(isNamespace), ...policies];
  // What keeps rollouts to our engine would refuse the controllers that drive them here.
  const isObserved = kind !== 'embedded' && (await findDriven({ cluster, clock, signal: ending })).has('rollout');
  const own = isObserved ? ours.filter((object) => !guardsRollouts(object)) : ours;
  const { unserved } = await installMissing([...definitions, ...own], { cluster, clock, log, signal: ending, renews: kind === 'embedded' });
  if (kind !== 'embedded' && unserved.length === 0) await waitForAdmissionPolicy({ cluster, clock, log, signal: ending });
  return [...definitions, ...policies, ...roles, ...ofMode];
}

const isNamespace = ({ kind }: KubeObject) => kind === 'Namespace';

/** Looks at what was found there, and goes on looking. */
export function openInstallation(
  { clock, log, ending, lifetimes }: StartupContext,
  {
    chosen,
    deployed,
    informers,
  }: { readonly chosen: ChosenCluster; readonly deployed: readonly KubeObject[]; readonly informers: Informers },
): Promise<Installation> {
  const { store: deployments } = lifetimes.use('deployments', informers.open(KINDS.deployment));
  return toStartupError(
    chosen,
    watchInstallation({
      cluster: chosen.cluster,
      deployments,
      deployed,
      needsPolicies: chosen.kind !== 'embedded',
      clock,
      log,
      signal: ending,
      untrustedFields: FIELDS_WITH_ANNOTATIONS,
      relist: (type) => informers.relist(type),
    }),
  );
}

/** A cluster that cannot be used is something people can mend: they get a sentence and no stack. */
export async function toStartupError<T>({ kind, name }: Pick<ChosenCluster, 'kind' | 'name'>, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (kind === 'embedded' || isAppError(error)) throw error;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : '';
    const why = messageOf(error);
    throw new AppError(
      'unavailable',
      `the cluster ${name} cannot be used: ${why.includes(cause) ? why : `${why}: ${cause}`}; check --kubeconfig and --context`,
      {
        cause: error,
      },
    );
  }
}
