import path from 'node:path';
import { KINDS } from '@/lib/kube/kinds';
import type { RemoteCluster } from '@/server/kube/remote/create';
import type { Visit, Visitors } from './browser';
import { startBrowser } from './browser';
import { openCluster } from './census';
import type { ServerProcess } from './server-process';

const LIMIT_MS = 60_000;

/** A browser on a server, in which the person who started it is signed in; disposing ends the browser. */
export interface OpenConsole extends AsyncDisposable {
  readonly operator: Visit;
  /** The address by which another person signs in, once, with a role of the embedded cluster. */
  invite(role: string): Promise<string>;
  /** Signs another person in, with a role of the embedded cluster, in a window of their own. */
  enter(role: string): Promise<Visit>;
  /** A window of somebody who has not signed in. */
  visit: Visitors['visit'];
}

/** What tests of the demonstration share. */
export interface Scene {
  readonly server: ServerProcess;
  readonly console: OpenConsole;
}

/** Signs in with the address that a server printed, and answers once the inbox is shown. */
export async function openConsole({ address, origin }: ServerProcess): Promise<OpenConsole> {
  const visitors = await startBrowser();
  const signIn = async (link: string): Promise<Visit> => {
    const visit = await visitors.visit(link);
    await visit.page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor({ timeout: LIMIT_MS });
    return visit;
  };
  const end = () => visitors[Symbol.asyncDispose]();
  try {
    const operator = await signIn(address);
    const invite = async (role: string): Promise<string> => {
      const answer = await operator.context.request.post(`${origin}/api/v1/session/links`, { data: { role }, headers: { origin } });
      return ((await answer.json()) as { url: string }).url;
    };
    return {
      operator,
      invite,
      enter: async (role) => signIn(await invite(role)),
      visit: visitors.visit,
      [Symbol.asyncDispose]: end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** The embedded cluster of a server, asked past the console, with the namespace `shop`. */
export async function openShop({ dataDir }: ServerProcess): Promise<RemoteCluster> {
  const cluster = openCluster(path.join(dataDir, 'cluster/kubeconfig'));
  try {
    await cluster.create({ ...KINDS.namespace, metadata: { name: 'shop' } });
  } catch (error) {
    await cluster[Symbol.asyncDispose]();
    throw error;
  }
  return cluster;
}
