import { readFileSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { delimiter } from 'node:path';
import { parse as parseYaml } from 'yaml';
import { AppError, messageOf } from '@/lib/contract/app-error';
import { isFields, readFields, readList, readString } from '@/lib/kube/fields';
import type { Person } from '../cluster';
import { KubeTransportError } from '../errors';

/** Where the address and the credentials of an API server come from. */
export type ServerSource =
  | { readonly kind: 'kubeconfig'; readonly path: string; readonly context?: string }
  | { readonly kind: 'in-cluster' };

/** The TLS side of a connection, as Node's TLS wants it. */
export interface TlsFiles {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
  readonly servername?: string;
  readonly rejectUnauthorized?: false;
}

/** What it takes to speak to an API server right now. Tokens and certificates rotate, so this is read again and again. */
export interface Access {
  readonly server: string;
  readonly proxyUrl: string | undefined;
  readonly tls: TlsFiles;
  readonly authorization: string | undefined;
  /** Whom the kubeconfig itself wants to act as (`as`, `as-groups`, `as-uid`, `as-user-extra`). */
  readonly actingAs: Person | undefined;
}

/** Reads the access; with `afresh` nothing an earlier call remembered is used, for instance a token the server refused. */
export type ReadAccess = (options?: { readonly afresh?: boolean }) => Promise<Access>;

type KubeConfig = import('@kubernetes/client-node').KubeConfig;

/** Credentials by way of client-node's KubeConfig: files, exec plugins, token files, client certificates, CA, proxy. */
export function createCredentials(source: ServerSource): ReadAccess {
  let config: Promise<KubeConfig> | undefined;
  return async ({ afresh = false } = {}) => {
    if (config === undefined || afresh) config = loadConfig(source);
    const current = config;
    try {
      return await readAccess(await current, source);
    } catch (error) {
      if (config === current) config = undefined; // a file that is being replaced is read again by the next call
      throw error;
    }
  };
}

async function loadConfig(source: ServerSource): Promise<KubeConfig> {
  // 0.4 s and 90 MB: paid by those who drive a real cluster only.
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  if (source.kind === 'in-cluster') config.loadFromCluster();
  else loadFiles(config, source, () => new KubeConfig());
  // The client library refuses plain http unless verification is off; there is nothing to verify on it.
  config.clusters = config.clusters.map((cluster) => (cluster.server.startsWith('http:') ? { ...cluster, skipTLSVerify: true } : cluster));
  if (!config.getCurrentCluster()) {
    throw new AppError('invalid', `${describe(source)} names no cluster in context "${config.getCurrentContext() ?? ''}"`);
  }
  return config;
}

function loadFiles(config: KubeConfig, source: ServerSource & { kind: 'kubeconfig' }, another: () => KubeConfig): void {
  const [first, ...others] = source.path.split(delimiter).filter((path) => path !== '');
  try {
    config.loadFromFile(first ?? source.path);
    for (const path of others) {
      const next = another();
      next.loadFromFile(path);
      config.mergeConfig(next, true);
    }
  } catch (error) {
    throw new AppError('invalid', `the kubeconfig ${source.path} could not be read: ${messageOf(error)}`, { cause: error });
  }
  if (source.context === undefined) return;
  if (config.getContextObject(source.context) === null) {
    const known = config.getContexts().map((context) => context.name);
    throw new AppError('invalid', `the kubeconfig ${source.path} has no context "${source.context}", only ${known.join(', ') || 'none'}`);
  }
  config.setCurrentContext(source.context);
}

async function readAccess(config: KubeConfig, source: ServerSource): Promise<Access> {
  const cluster = config.getCurrentCluster();
  if (!cluster) throw new AppError('invalid', `${describe(source)} names no cluster`);
  const options: RequestOptions = {};
  try {
    await config.applyToHTTPSOptions(options);
  } catch (error) {
    throw new KubeTransportError(`${describe(source)} gave no credentials: ${messageOf(error)}`, { cause: error });
  }
  const basic = options.auth ? `Basic ${Buffer.from(options.auth).toString('base64')}` : undefined;
  const bearer = readString(options.headers, 'Authorization');
  return {
    server: cluster.server.replace(/\/+$/, ''),
    proxyUrl: cluster.proxyUrl,
    tls: {
      ...(options.ca ? { ca: toBuffer(options.ca) } : {}),
      ...(options.cert ? { cert: toBuffer(options.cert) } : {}),
      ...(options.key ? { key: toBuffer(options.key) } : {}),
      ...(cluster.tlsServerName ? { servername: cluster.tlsServerName } : {}),
      ...(options.rejectUnauthorized === false ? { rejectUnauthorized: false as const } : {}),
    },
    authorization: bearer?.trim() ?? basic,
    actingAs: source.kind === 'kubeconfig' ? readActingAs(source.path, config.getCurrentUser()?.name) : undefined,
  };
}

// The client library keeps only the user of an impersonating kubeconfig; groups, uid and extra are read here.
function readActingAs(paths: string, userName: string | undefined): Person | undefined {
  for (const path of paths.split(delimiter).filter((one) => one !== '')) {
    const document: unknown = parseYaml(readFileSync(path, 'utf8'));
    const entry = readList(document, 'users').find((user) => isFields(user) && user.name === userName);
    const user = readString(entry, 'user', 'as');
    if (user === undefined || user === '') continue;
    const uid = readString(entry, 'user', 'as-uid');
    return {
      user,
      groups: readList(entry, 'user', 'as-groups').map(String),
      ...(uid ? { uid } : {}),
      extra: Object.fromEntries(
        Object.entries(readFields(entry, 'user', 'as-user-extra')).map(([key, values]) => [
          key,
          Array.isArray(values) ? values.map(String) : [],
        ]),
      ),
    };
  }
  return undefined;
}

// One file each: the list forms of Node's TLS options never come out of a kubeconfig.
function toBuffer(value: unknown): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.from(String(value));
}

function describe(source: ServerSource): string {
  return source.kind === 'in-cluster' ? 'the in-cluster configuration' : `the kubeconfig ${source.path}`;
}
