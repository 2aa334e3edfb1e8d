import { AppError, messageOf } from '@/lib/contract/app-error';
import { readBoolean, readList, readNumber, readString } from '@/lib/kube/fields';
import type { Instant } from '@/lib/std/instant';
import { toInstant } from '@/lib/std/instant';
import type { Cluster } from '@/server/kube';
import { requireOrdinaryUser } from './identity';
import type { Identity } from './session';

/** Asks the cluster whose bearer token this is; undefined when it is nobody's. */
export async function reviewToken(cluster: Cluster, token: string): Promise<Identity | undefined> {
  const review = await cluster
    .create({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', metadata: {}, spec: { token } })
    .catch((error: unknown) => {
      throw new AppError('unavailable', `the cluster could not be asked about the token: ${messageOf(error)}`);
    });
  const user = readString(review, 'status', 'user', 'username');
  if (readBoolean(review, 'status', 'authenticated') !== true || user === undefined) return undefined;
  requireOrdinaryUser(user);
  const uid = readString(review, 'status', 'user', 'uid');
  const endsAt = expiryOf(token);
  return {
    user,
    groups: readList(review, 'status', 'user', 'groups').filter((group) => typeof group === 'string'),
    ...(uid ? { uid } : {}),
    token,
    mayInvite: false,
    ...(endsAt === undefined ? {} : { endsAt }),
  };
}

/** When a JWT ends. The cluster has checked it; this only keeps our session from outliving it. */
function expiryOf(token: string): Instant | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    const seconds = readNumber(claims, 'exp');
    return seconds === undefined ? undefined : toInstant(seconds * 1000);
  } catch {
    return undefined; // not every token is a JWT
  }
}
