import path from 'node:path';
import { z } from 'zod';
import { AppError } from '@/lib/contract/app-error';
import { DEFAULT_DATA_DIR } from '@/lib/contract/command-access';
import type { StatusPolicy } from '@/lib/contract/health';
import { FORMER_STATUS_POLICIES, STATUS_POLICIES } from '@/lib/contract/health';
import { hideCredentials } from '@/lib/kube/mask';
import { LOG_LEVELS } from '../log';
import { ACCESS_SETTINGS, accessSchema } from './access-settings';
import { CHART_SETTINGS, chartSchema } from './chart-settings';
import { onOff, wholeNumber } from './readers';
import { STATUS_SETTINGS, statusSchema } from './status-settings';

/** One setting: how it may be given, what it means, and its default in words. */
export interface Setting {
  readonly flag?: string;
  readonly env: readonly string[];
  readonly meaning: string;
  readonly fallback: string;
  /** Its value is repeated nowhere. */
  readonly isSecret?: true;
}

/** Every setting of the server; `docs/configuration.md` is made from this table. */
export const SETTINGS = {
  port: { flag: 'port', env: ['SLIPWAY_PORT'], meaning: 'Port to listen on, 0 for any free one.', fallback: '3000' },
  host: {
    flag: 'host',
    env: ['SLIPWAY_HOST'],
    meaning: 'Address to listen on. Sign-in mode `local` accepts loopback addresses only.',
    fallback: '127.0.0.1',
  },
  dataDir: {
    flag: 'data-dir',
    env: ['SLIPWAY_DATA_DIR'],
    meaning: 'Folder of the store, of keys, mirrors and pending acts, and of the embedded cluster; each server has its own.',
    fallback: DEFAULT_DATA_DIR,
  },
  kubeconfig: {
    flag: 'kubeconfig',
    env: ['SLIPWAY_KUBECONFIG'],
    meaning:
      'Kubeconfig of the cluster to drive. Without it, and outside a cluster, an embedded cluster is started; a kubeconfig in the home folder is never used.',
    fallback: 'none',
  },
  context: {
    flag: 'context',
    env: ['SLIPWAY_CONTEXT'],
    meaning: 'Context of the kubeconfig.',
    fallback: "the kubeconfig's current context",
  },
  databaseUrl: {
    env: ['DATABASE_URL'],
    meaning: 'Postgres to keep sessions, record and history in, instead of the embedded store.',
    fallback: 'none',
    isSecret: true,
  },
  auditKey: {
    flag: 'audit-key',
    env: ['SLIPWAY_AUDIT_KEY'],
    meaning:
      'File with the Ed25519 private key (PEM) that signs heads of the record, for instance of a mounted Secret; the same for all replicas. See [the record](security.md#the-record).',
    fallback: 'a key of its own in the data folder',
  },
  ...ACCESS_SETTINGS,
  maxDepth: {
    flag: 'max-depth',
    env: ['SLIPWAY_MAX_DEPTH'],
    meaning: 'Levels to which JSON and YAML may be nested, 20 to 500.',
    fallback: '100',
  },
  clusterPort: {
    flag: 'cluster-port',
    env: ['SLIPWAY_CLUSTER_PORT'],
    meaning: 'Port of the embedded cluster, 0 for any free one.',
    fallback: '0',
  },
  demonstration: {
    flag: 'demonstration',
    env: ['SLIPWAY_DEMONSTRATION'],
    meaning: 'Install the demonstration on an empty embedded cluster: `on` or `off`.',
    fallback: 'on',
  },
  shards: {
    flag: 'shards',
    env: ['SLIPWAY_SHARDS'],
    meaning:
      'Number of shards, 1 to 64, into which replicas divide the applications; the same for all replicas. With 1, one replica leads them all.',
    fallback: '1',
  },
  ...STATUS_SETTINGS,
  ...CHART_SETTINGS,
  logLevel: {
    flag: 'log-level',
    env: ['SLIPWAY_LOG_LEVEL'],
    meaning: `Least severe lines to log: ${LOG_LEVELS.join(', ')}.`,
    fallback: 'warn',
  },
} as const satisfies Record<string, Setting>;

const port = wholeNumber(0, 65_535);

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
  ...accessSchema,
  maxDepth: wholeNumber(20, 500).default(100),
  clusterPort: port.default(0),
  demonstration: onOff.default('on'),
  shards: wholeNumber(1, 64).default(1),
  ...statusSchema,
  ...chartSchema,
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

/** Takes secrets out of the environment once they are read: a diagnostic report of Node lists all of it, and threads get a copy. */
export function forgetSecrets(env: Record<string, string | undefined> = process.env): void {
  for (const { env: names, isSecret } of Object.values(SETTINGS) as Setting[]) {
    if (isSecret) for (const name of names) delete env[name];
  }
}

/** Reads settings from the command line (`--flag value` or `--flag=value`) and the environment; the command line wins. */
export function readConfig(
  args: readonly string[] = process.argv.slice(2),
  env: Readonly<Record<string, string | undefined>> = process.env,
): Config {
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
      const found = (SETTINGS[name] as Setting).isSecret ? '' : `, found ${hideCredentials(JSON.stringify(given[name] ?? null))}`;
      return `${sources[name] ?? name} ${issue.message}${found}`;
    });
    throw new AppError('invalid', sentences.join('\n'));
  }
  return {
    ...parsed.data,
    dataDir: path.resolve(parsed.data.dataDir),
    statusPolicies: STATUS_POLICIES.filter((name) => parsed.data.statusPolicies.includes(name)),
    notes: FORMER_STATUS_POLICIES.filter((name) => parsed.data.statusPolicies.includes(name)).map(
      (name) =>
        `the status policy ${name} no longer has any effect: a built-in rule covers it; remove it from ${sources.statusPolicies}, since the next release refuses it`,
    ),
    inCluster: env.KUBERNETES_SERVICE_HOST !== undefined && env.KUBERNETES_SERVICE_PORT !== undefined,
    development: env.NODE_ENV === 'development',
  };
}

function readFlags(args: readonly string[]): [SettingName, string][] {
  const byFlag = new Map(
    (Object.entries(SETTINGS) as [SettingName, Setting][]).flatMap(([name, setting]) =>
      setting.flag ? [[setting.flag, name] as const] : [],
    ),
  );
  const found: [SettingName, string][] = [];
  for (let at = 0; at < args.length; at++) {
    const [flag = '', inline] = splitOnce(args[at] ?? '');
    const name = flag.startsWith('--') ? byFlag.get(flag.slice(2)) : undefined;
    if (name === undefined)
      throw new AppError('invalid', `no setting is called ${flag}; known are ${[...byFlag.keys()].map((known) => `--${known}`).join(' ')}`);
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
