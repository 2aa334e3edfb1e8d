import path from 'node:path';
import { z } from 'zod';
import { AppError } from '@/lib/contract/app-error';
import { DEFAULT_DATA_DIR } from '@/lib/contract/command-access';
import type { StatusPolicy } from '@/lib/contract/health';
import { FORMER_STATUS_POLICIES, STATUS_POLICIES } from '@/lib/contract/health';
import { parseDurationMs } from '@/lib/std/duration';
import { CHART_SETTINGS, chartSchema } from './chart-settings';
import { LOG_LEVELS } from './log';
import { OIDC_SETTINGS, oidcSchema } from './oidc-settings';

/** One setting: how it may be given, what it means, and its default in words. */
interface Setting {
  readonly flag?: string;
  readonly env: readonly string[];
  readonly meaning: string;
  readonly fallback: string;
}

/** How people sign in. */
export const AUTH_MODES = ['local', 'token', 'oidc'] as const;

/** Every setting of the server; `docs/configuration.md` is made from this table. */
export const SETTINGS = {
  port: { flag: 'port', env: ['SLIPWAY_PORT'], meaning: 'Port to listen on, 0 for any free one.', fallback: '3000' },
  host: { flag: 'host', env: ['SLIPWAY_HOST'], meaning: 'Address to listen on. Sign-in mode `local` accepts loopback addresses only.', fallback: '127.0.0.1' },
  dataDir: { flag: 'data-dir', env: ['SLIPWAY_DATA_DIR'], meaning: 'Folder of the store and of the embedded cluster.', fallback: DEFAULT_DATA_DIR },
  kubeconfig: {
    flag: 'kubeconfig',
    env: ['SLIPWAY_KUBECONFIG'],
    meaning:
      'Kubeconfig of the cluster to drive. Without it, and outside a cluster, an embedded cluster is started; a kubeconfig in the home folder is never used.',
    fallback: 'none',
  },
  context: { flag: 'context', env: ['SLIPWAY_CONTEXT'], meaning: 'Context of the kubeconfig.', fallback: "the kubeconfig's current context" },
  databaseUrl: { env: ['DATABASE_URL'], meaning: 'Postgres to keep sessions, record and history in, instead of the embedded store.', fallback: 'none' },
  auditKey: {
    flag: 'audit-key',
    env: ['SLIPWAY_AUDIT_KEY'],
    meaning:
      'File with the Ed25519 private key (PEM) that signs heads of the record, for instance of a mounted Secret; the same for all replicas. See [the record](security.md#the-record).',
    fallback: 'a key of its own in the data folder',
  },
  auth: {
    flag: 'auth',
    env: ['SLIPWAY_AUTH'],
    meaning:
      'How people sign in: `local` (one-time token printed at start), `token` (a bearer token of the cluster) or `oidc` (a provider; the server acts for them, see `deploy/rbac/oidc`).',
    fallback: 'local',
  },
  ...OIDC_SETTINGS,
  unattributed: {
    flag: 'unattributed',
    env: ['SLIPWAY_UNATTRIBUTED'],
    meaning:
      'What an application may hold while it is not known who requested it, as on clusters without `MutatingAdmissionPolicy` (before 1.36): `own` (what lies in its own namespace and gives no rights), `all` or `none`. Where the cluster tells, an application may hold what its requester may write.',
    fallback: 'own',
  },
  publicUrl: {
    flag: 'public-url',
    env: ['SLIPWAY_PUBLIC_URL'],
    meaning: 'Address people open, when a proxy stands in front; its origin is accepted on writes and sockets.',
    fallback: 'the address listened on',
  },
  trustedProxies: {
    flag: 'trusted-proxies',
    env: ['SLIPWAY_TRUSTED_PROXIES'],
    meaning:
      'Proxies in front, as addresses and networks with commas between, such as `10.0.0.7,10.1.0.0/16`. They say whom they ask for (`X-Forwarded-For`), and in sign-in modes `token` and `oidc` only they may ask over plain http, for a public address that is https; loopback may always.',
    fallback: 'none',
  },
  maxDepth: { flag: 'max-depth', env: ['SLIPWAY_MAX_DEPTH'], meaning: 'Levels that JSON and YAML may be nested, 20 to 500.', fallback: '100' },
  terminal: {
    flag: 'terminal',
    env: ['SLIPWAY_TERMINAL'],
    meaning: 'Whether people may open a terminal in a container, `on` or `off`; each needs `create` on `pods/exec` besides, since it is opened as them.',
    fallback: 'on',
  },
  maxSockets: {
    flag: 'max-sockets',
    env: ['SLIPWAY_MAX_SOCKETS'],
    meaning: 'Live connections of one person at a time, over all their sessions.',
    fallback: '20',
  },
  maxSubscriptions: {
    flag: 'max-subscriptions',
    env: ['SLIPWAY_MAX_SUBSCRIPTIONS'],
    meaning: 'Topics that one live connection watches at a time.',
    fallback: '200',
  },
  maxRequests: {
    flag: 'max-requests',
    env: ['SLIPWAY_MAX_REQUESTS'],
    meaning: 'Requests of one person per second; twice as many at once after a pause.',
    fallback: '50',
  },
  maxSessions: {
    flag: 'max-sessions',
    env: ['SLIPWAY_MAX_SESSIONS'],
    meaning: 'Sessions of one person at a time; one more ends the oldest.',
    fallback: '10',
  },
  maxSignIns: {
    flag: 'max-sign-ins',
    env: ['SLIPWAY_MAX_SIGN_INS'],
    meaning: 'Sign-ins that may fail within a minute from one address, and with one beginning of a token.',
    fallback: '10',
  },
  clusterPort: { flag: 'cluster-port', env: ['SLIPWAY_CLUSTER_PORT'], meaning: 'Port of the embedded cluster, 0 for any free one.', fallback: '0' },
  demonstration: {
    flag: 'demonstration',
    env: ['SLIPWAY_DEMONSTRATION'],
    meaning: 'Install the demonstration on an empty embedded cluster: `on` or `off`.',
    fallback: 'on',
  },
  shards: {
    flag: 'shards',
    env: ['SLIPWAY_SHARDS'],
    meaning: 'Into how many parts, 1 to 64, replicas divide the applications among themselves; the same for all replicas. One replica leads all when 1.',
    fallback: '1',
  },
  statusRules: {
    flag: 'status-rules',
    env: ['SLIPWAY_STATUS_RULES'],
    meaning:
      'Rules that compute the status of more kinds: files in YAML or JSON and `configmap:NAMESPACE/NAME`, separated by commas. Read again when they change; see [status rules](status-rules.md).',
    fallback: 'none',
  },
  healthLua: {
    flag: 'health-lua',
    env: ['SLIPWAY_HEALTH_LUA'],
    meaning:
      'Health checks in Lua as Argo CD has them: folders of `group/Kind/health.lua` and `configmap:NAMESPACE/NAME` (an `argocd-cm`), with commas between; see [status rules](status-rules.md).',
    fallback: 'none',
  },
  pollInterval: {
    flag: 'poll-interval',
    env: ['SLIPWAY_POLL_INTERVAL'],
    meaning: 'How often what may be listed but not watched is listed, such as `10s` or `1m`; a second at least, an hour at most.',
    fallback: '10s',
  },
  ...CHART_SETTINGS,
  statusPolicies: {
    flag: 'status-policies',
    env: ['SLIPWAY_STATUS_POLICIES'],
    meaning: `Other readings of built-in kinds, with commas between: ${STATUS_POLICIES.map((name) => `\`${name}\``).join(', ')}; see [status rules](status-rules.md).`,
    fallback: 'none',
  },
  logLevel: { flag: 'log-level', env: ['SLIPWAY_LOG_LEVEL'], meaning: `Least severe lines to log: ${LOG_LEVELS.join(', ')}.`, fallback: 'warn' },
} as const satisfies Record<string, Setting>;

const port = z.coerce.number('must be a number').int('must be a whole number').min(0, 'must be 0 to 65535').max(65_535, 'must be 0 to 65535');

const limit = z.coerce.number('must be a number').int('must be a whole number').min(1, 'must be 1 to 100000').max(100_000, 'must be 1 to 100000');

const schema = z.object({
  port: port.default(3000),
  host: z.string().min(1, 'must be an address').default('127.0.0.1'),
  dataDir: z.string().min(1, 'must be a folder').default(DEFAULT_DATA_DIR),
  kubeconfig: z.string().min(1, 'must be a file').optional(),
  context: z.string().min(1, 'must be the name of a context').optional(),
  databaseUrl: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must be an address that starts with postgres://')
    .optional(),
  auditKey: z.string().min(1, 'must be a file').optional(),
  auth: z.enum(AUTH_MODES, 'must be local, token or oidc').default('local'),
  ...oidcSchema,
  unattributed: z.enum(['own', 'all', 'none'], 'must be own, all or none').default('own'),
  publicUrl: z.url('must be an address such as https://slipway.example.com').optional(),
  trustedProxies: z
    .string()
    .transform((text) => text.split(',').flatMap((one) => one.trim() || []))
    .default([]),
  maxDepth: z.coerce.number('must be a number').int('must be a whole number').min(20, 'must be 20 to 500').max(500, 'must be 20 to 500').default(100),
  terminal: z.enum(['on', 'off'], 'must be on or off').default('on'),
  maxSockets: limit.default(20),
  maxSubscriptions: limit.default(200),
  maxRequests: limit.default(50),
  maxSessions: limit.default(10),
  maxSignIns: limit.default(10),
  clusterPort: port.default(0),
  demonstration: z.enum(['on', 'off'], 'must be on or off').default('on'),
  shards: z.coerce.number('must be a number').int('must be a whole number').min(1, 'must be 1 to 64').max(64, 'must be 1 to 64').default(1),
  statusRules: z.string().min(1, 'must be a file or configmap:NAMESPACE/NAME').optional(),
  healthLua: z.string().min(1, 'must be a folder or configmap:NAMESPACE/NAME').optional(),
  pollInterval: z
    .string()
    .default('10s')
    .transform((text) => parseDurationMs(text) ?? Number.NaN)
    .pipe(z.number('must be a duration from 1s to 1h').min(1000, 'must be a duration from 1s to 1h').max(3_600_000, 'must be a duration from 1s to 1h')),
  ...chartSchema,
  statusPolicies: z
    .string()
    .transform((text) => text.split(',').flatMap((name) => name.trim() || []))
    .pipe(z.array(z.enum([...STATUS_POLICIES, ...FORMER_STATUS_POLICIES], `must be a list of ${STATUS_POLICIES.join(', ')}`)))
    .default([]),
  logLevel: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('warn'),
});

/** The settings of one process, checked. */
export type Config = Omit<z.infer<typeof schema>, 'statusPolicies'> & {
  readonly statusPolicies: readonly StatusPolicy[];
  /** Sentences about what was given and has no effect any more. */
  readonly notes: readonly string[];
  /** True when the process runs in a pod with a service account. */
  readonly inCluster: boolean;
  readonly development: boolean;
};

type SettingName = keyof typeof SETTINGS;

/** Reads settings from the command line (`--flag value` or `--flag=value`) and the environment; the command line wins. */
export function readConfig(args: readonly string[] = process.argv.slice(2), env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const given: Partial<Record<SettingName, string>> = {};
  const sources: Partial<Record<SettingName, string>> = {};
  for (const [name, setting] of Object.entries(SETTINGS) as [SettingName, Setting][]) {
    const from = setting.env.find((variable) => env[variable] !== undefined && env[variable] !== '');
    if (from === undefined) continue;
    given[name] = env[from] as string;
    sources[name] = from;
  }
  for (const [name, value] of readFlags(args)) {
    given[name] = value;
    sources[name] = `--${(SETTINGS[name] as Setting).flag}`;
  }
  const parsed = schema.safeParse(given);
  if (!parsed.success) {
    const sentences = parsed.error.issues.map((issue) => {
      const name = issue.path[0] as SettingName;
      return `${sources[name] ?? name} ${issue.message}, found ${JSON.stringify(given[name])}`;
    });
    throw new AppError('invalid', sentences.join('\n'));
  }
  return {
    ...parsed.data,
    dataDir: path.resolve(parsed.data.dataDir),
    statusPolicies: STATUS_POLICIES.filter((name) => parsed.data.statusPolicies.includes(name)),
    notes: FORMER_STATUS_POLICIES.filter((name) => parsed.data.statusPolicies.includes(name)).map(
      (name) =>
        `the status policy ${name} has no effect any more: a rule of the server tells of that now; leave it out of ${sources.statusPolicies}, the next release refuses it`,
    ),
    inCluster: env.KUBERNETES_SERVICE_HOST !== undefined && env.KUBERNETES_SERVICE_PORT !== undefined,
    development: env.NODE_ENV === 'development',
  };
}

function readFlags(args: readonly string[]): [SettingName, string][] {
  const byFlag = new Map(
    (Object.entries(SETTINGS) as [SettingName, Setting][]).flatMap(([name, setting]) => (setting.flag ? [[setting.flag, name] as const] : [])),
  );
  const found: [SettingName, string][] = [];
  for (let at = 0; at < args.length; at++) {
    const [flag = '', inline] = splitOnce(args[at] ?? '');
    const name = flag.startsWith('--') ? byFlag.get(flag.slice(2)) : undefined;
    if (name === undefined)
      throw new AppError('invalid', `no setting is called ${args[at]}; known are ${[...byFlag.keys()].map((known) => `--${known}`).join(' ')}`);
    const value = inline ?? args[++at];
    if (value === undefined) throw new AppError('invalid', `${flag} needs a value, found none`);
    found.push([name, value]);
  }
  return found;
}

function splitOnce(argument: string): [string, string | undefined] {
  const equals = argument.indexOf('=');
  return equals < 0 ? [argument, undefined] : [argument.slice(0, equals), argument.slice(equals + 1)];
}

/** The settings as a page of Markdown. */
export function describeSettings(): string {
  const rows = Object.values(SETTINGS).map((setting: Setting) => {
    const flag = setting.flag ? `\`--${setting.flag}\`` : '–';
    return `| ${flag} | ${setting.env.map((name) => `\`${name}\``).join(', ')} | ${setting.fallback} | ${setting.meaning} |`;
  });
  return `# Configuration

Settings are given on the command line or in the environment; the command line wins. A wrong value ends the start with one sentence each.
This page is made by \`node scripts/write-docs.mjs\` from \`server/platform/config.ts\`.

| flag | environment | default | meaning |
| --- | --- | --- | --- |
${rows.join('\n')}
`;
}
