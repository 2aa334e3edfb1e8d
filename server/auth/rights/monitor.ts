import { AppError, messageOf } from '@/lib/contract/app-error';
import { readBoolean } from '@/lib/kube/fields';
import type { Cluster } from '@/server/kube';
import type { Clock } from '@/server/platform';
import { memoizeFor } from '@/server/platform';
import type { Identity } from '../session';
import { hashSecret } from '../session';
import type { SignInLimit } from '../sign-in-limit';
import { reviewToken } from '../token-review';

/** A token of the cluster as a monitor sends it with each request, and the address that it comes from. */
export interface Bearer {
  readonly token: string;
  readonly source: string;
}

/** Throws unless whoever sends this token may get the metrics: unauthenticated, forbidden or too-many. */
export type RequireMonitor = (bearer: Bearer) => Promise<void>;

export interface MonitorDeps {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly attempts: SignInLimit;
}

const KEPT_MS = 3_000;
const ASKED = { path: '/metrics', verb: 'get' };

/** Monitors are known by a bearer token and need the right to get `/metrics`, as with components of Kubernetes; they have no session. */
export function createRequireMonitor({ cluster, clock, attempts }: MonitorDeps): RequireMonitor {
  const kept = memoizeFor<{ readonly user: string; readonly may: boolean }>(KEPT_MS, clock);
  const identify = ({ token, source }: Bearer) =>
    attempts.attempt({ source, token }, async (fail) => {
      const identity = await reviewToken(cluster, token);
      if (identity === undefined) throw fail('the cluster does not know this token');
      return identity;
    });
  return async (bearer) => {
    const { user, may } = await kept(hashSecret(bearer.token), async () => {
      const identity = await identify(bearer);
      return { user: identity.user, may: await mayGetMetrics(cluster, identity) };
    });
    if (!may) throw new AppError('forbidden', `${user} may not do this: it requires the right "${ASKED.verb}" on the path ${ASKED.path}`);
  };
}

/** The token of an Authorization header; undefined for any other kind of one. */
export function bearerTokenOf(header: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(header ?? '')?.[1];
}

async function mayGetMetrics(cluster: Cluster, { user, groups, uid }: Identity): Promise<boolean> {
  const spec = { user, groups, ...(uid ? { uid } : {}), nonResourceAttributes: ASKED };
  const review = await cluster
    .create({ apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', metadata: {}, spec })
    .catch((error: unknown) => {
      throw new AppError('unavailable', `the cluster could not be asked what ${user} may do: ${messageOf(error)}`);
    });
  return readBoolean(review, 'status', 'allowed') === true;
}
