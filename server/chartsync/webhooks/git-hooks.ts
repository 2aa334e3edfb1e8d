import { AppError, isAppError, messageOf } from '@/lib/contract/app-error';
import { readString } from '@/lib/kube/fields';
import { toIso } from '@/lib/std/instant';
import type { Cluster, Store } from '@/server/kube';
import { ignoreNotFound, isForbidden, isNotFound } from '@/server/kube';
import type { Clock, Log, Registry } from '@/server/platform';
import { memoizeFor } from '@/server/platform';
import { mirrorKeyOf } from '../git/mirrors';
import type { Identities } from '../identities';
import type { DeclaredRelease } from '../model/declared';
import { readDeclared } from '../model/declared';
import type { HookResult } from '../session/metrics';
import { createHookCounter } from '../session/metrics';
import type { GitHook, OwnRepository } from './git-hook';
import { FETCH_REQUESTED_AT, gitHookOf } from './git-hook';
import type { SignedCall } from './signature';
import { isSignedBy } from './signature';

const BY_HOOK = 'git-hook';
const SECRET_KEY = 'webhook';
const FIELD_MANAGER = 'slipway.dev/chartsync';
/** A changed secret is taken this late; who calls without one makes no more reads than one in so long. */
const SECRET_KEPT_MS = 5000;

/** Takes the calls of git servers on any replica. */
export interface GitHooks {
  /** Asks for a fetch of the repository that a hook stands for; throws not-found where there is none or it has no secret, unauthenticated for a wrong signature. */
  deliver(id: string, call: SignedCall): Promise<void>;
}

interface GitHooksDeps {
  readonly cluster: Cluster;
  /** Watched copies of the kinds that declare releases. */
  readonly stores: readonly Store[];
  readonly identities: Pick<Identities, 'clusterFor'>;
  readonly own: OwnRepository;
  readonly metrics: Registry;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Hooks over the copies of the cluster. Whoever calls is not known, so a call makes at most a fetch come sooner: nothing of its content is read, and one
 * that is sent again does no more. The mirror may be another replica's, so the wish to fetch goes by an annotation of a resource that follows it.
 */
export function createGitHooks({ cluster, stores, identities, own, metrics, clock, log }: GitHooksDeps): GitHooks {
  const count = createHookCounter(metrics);
  for (const store of stores) {
    store.addIndex(BY_HOOK, (object) => {
      const hook = gitHookOf(readDeclared(object), own);
      return hook === undefined ? [] : [hook.id];
    });
  }
  const keep = memoizeFor<string | undefined>(SECRET_KEPT_MS, clock);
  const readSecret = async ({ secret, reader: who }: GitHook) => {
    const reader = who === null ? cluster : identities.clusterFor(who);
    const found = await reader.get({ apiVersion: 'v1', kind: 'Secret', ...secret });
    // Files end their last line, and git servers do not keep that.
    const text = Buffer.from(readString(found, 'data', SECRET_KEY) ?? '', 'base64')
      .toString('utf8')
      .trim();
    return text === '' ? undefined : text;
  };
  const askSecret = (hook: GitHook) =>
    readSecret(hook).catch((error: unknown) => {
      log.warn(
        { secret: `${hook.secret.namespace}/${hook.secret.name}`, error: messageOf(error) },
        'the secret of a git hook could not be read',
      );
      if (isNotFound(error) || isForbidden(error)) return undefined;
      throw new AppError('unavailable', 'the call cannot be checked now; send it again');
    });
  return {
    deliver: (id, call) =>
      deliver(id, call).then(
        () => count('taken'),
        (error: unknown) => {
          count(resultOf(error));
          throw error;
        },
      ),
  };

  async function deliver(id: string, call: SignedCall): Promise<void> {
    const resources = stores.flatMap((store) => store.byIndex(BY_HOOK, id).map(readDeclared));
    const [hook] = resources.flatMap((resource) => gitHookOf(resource, own) ?? []);
    const secret = hook && (await keep(hook.id, () => askSecret(hook)));
    if (secret === undefined) throw new AppError('not-found', 'there is no such hook, or it has no secret');
    if (!isSignedBy(secret, call)) throw new AppError('unauthenticated', 'the call is not signed by the secret of this hook');
    for (const resource of oneOfEachMirror(resources)) await requestFetch(resource);
  }

  async function requestFetch({ at }: DeclaredRelease): Promise<void> {
    const body = { metadata: { annotations: { [FETCH_REQUESTED_AT]: toIso(clock.now()) } } };
    await ignoreNotFound(cluster.patch(at, { type: 'merge', body }, { fieldManager: FIELD_MANAGER })); // gone meanwhile, and with it the wish
  }
}

function resultOf(error: unknown): HookResult {
  if (!isAppError(error)) return 'failed';
  return error.code === 'not-found' ? 'unknown' : error.code === 'unauthenticated' ? 'unsigned' : 'failed';
}

/** Resources with one mirror want one fetch. */
function oneOfEachMirror(resources: readonly DeclaredRelease[]): readonly DeclaredRelease[] {
  return [...new Map(resources.map((resource) => [mirrorOf(resource), resource])).values()];
}

function mirrorOf(resource: DeclaredRelease): string {
  if (resource.profile === 'base' || resource.spec.chart.kind !== 'git') return '';
  return mirrorKeyOf({ chart: resource.spec.chart, onBehalfOf: resource.onBehalfOf });
}
