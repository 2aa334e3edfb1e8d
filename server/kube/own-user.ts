import { readString } from '@/lib/kube/fields';
import type { Cluster } from './cluster';
import { isNoMatch } from './errors';

/** Whom the API server takes this server for; asked once. Undefined where it answers no such question. */
export function createOwnUser(cluster: Pick<Cluster, 'create'>): () => Promise<string | undefined> {
  let asked: Promise<string | undefined> | undefined;
  return () => {
    asked ??= askOwnUser(cluster);
    asked.catch(() => {
      // Whoever asked hears of it; the next one asks anew.
      asked = undefined;
    });
    return asked;
  };
}

async function askOwnUser(cluster: Pick<Cluster, 'create'>): Promise<string | undefined> {
  try {
    const review = await cluster.create({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} });
    return readString(review, 'status', 'userInfo', 'username');
  } catch (error) {
    if (isNoMatch(error)) return undefined;
    throw error;
  }
}
