import { z } from 'zod';
import { CHARTS_ACCOUNT } from '@/lib/contract/grant';
import { duration, onOff, wholeNumber } from './readers';

/** Settings of chart sync and of its way out; names are those of the Flux helm-operator where it had them. */
export const CHART_SETTINGS = {
  gitUrl: {
    flag: 'git-url',
    env: ['SLIPWAY_GIT_URL'],
    meaning:
      'Git repository with the charts of FluxHelmReleases, https or ssh. Its host is allowed without `--outbound-allow`. Without it FluxHelmReleases wait.',
    fallback: 'none',
  },
  gitSecret: {
    flag: 'git-secret',
    env: ['SLIPWAY_GIT_SECRET'],
    meaning:
      'Secret with the credentials of `--git-url`, as `NAMESPACE/NAME`: `username` and `password`, or `bearerToken`, and `ca.crt` for https; `identity` and `known_hosts` for ssh. Read at each fetch.',
    fallback: 'none',
  },
  gitBranch: { flag: 'git-branch', env: ['SLIPWAY_GIT_BRANCH'], meaning: 'Branch that releases follow.', fallback: 'master' },
  gitChartsPath: {
    flag: 'git-charts-path',
    env: ['SLIPWAY_GIT_CHARTS_PATH'],
    meaning: 'Folder of the repository that `chartGitPath` is relative to.',
    fallback: 'charts',
  },
  gitPollInterval: {
    flag: 'git-poll-interval',
    env: ['SLIPWAY_GIT_POLL_INTERVAL'],
    meaning: 'How often the repository is fetched.',
    fallback: '5m',
  },
  gitCloneTimeout: {
    flag: 'git-clone-timeout',
    env: ['SLIPWAY_GIT_CLONE_TIMEOUT'],
    meaning: 'How long cloning a repository may take.',
    fallback: '10m',
  },
  gitFetchTimeout: {
    flag: 'git-fetch-timeout',
    env: ['SLIPWAY_GIT_FETCH_TIMEOUT'],
    meaning: 'How long fetching a repository may take that was cloned before.',
    fallback: '2m',
  },
  gitMirrorsLimit: {
    flag: 'git-mirrors-limit',
    env: ['SLIPWAY_GIT_MIRRORS_LIMIT'],
    meaning:
      'MiB that the mirrors of repositories named by resources may take on disk together, 1 to 16777216. Mirrors that no resource names go first; then nothing more is fetched. A mirror in use that may not grow is no longer ready, so its releases fail until there is room. Commits exported from them may take as much again, dependencies added to their charts not counted; the least recently used go first.',
    fallback: '16384',
  },
  chartsSyncInterval: {
    flag: 'charts-sync-interval',
    env: ['SLIPWAY_CHARTS_SYNC_INTERVAL'],
    meaning: 'Pause between two comparisons of all releases with their charts.',
    fallback: '3m',
  },
  chartsSyncTimeout: {
    flag: 'charts-sync-timeout',
    env: ['SLIPWAY_CHARTS_SYNC_TIMEOUT'],
    meaning: 'How long listing the resources of one comparison may take.',
    fallback: '1m',
  },
  chartsServiceAccount: {
    flag: 'charts-service-account',
    env: ['SLIPWAY_CHARTS_SERVICE_ACCOUNT'],
    meaning:
      "ServiceAccount, in the namespace of each resource, that Helm runs as for resources that name none. On the embedded cluster that is the cluster's administrator.",
    fallback: CHARTS_ACCOUNT,
  },
  chartsApprovals: {
    flag: 'charts-approvals',
    env: ['SLIPWAY_CHARTS_APPROVALS'],
    meaning:
      'How many people approve a commit before a release goes to it, 0 to 20. Annotation `slipway.dev/approvals` of a resource or its namespace may ask for more; `slipway.dev/approval-groups` names whose members count.',
    fallback: '0',
  },
  logReleaseDiffs: {
    flag: 'log-release-diffs',
    env: ['SLIPWAY_LOG_RELEASE_DIFFS'],
    meaning: '`on` writes the values in which a release differs to the log, secrets included.',
    fallback: 'off',
  },
  chartsAlwaysCompare: {
    flag: 'charts-always-compare',
    env: ['SLIPWAY_CHARTS_ALWAYS_COMPARE'],
    meaning:
      '`on` compares every release by a dry run of Helm at every pass, also where neither chart, values nor release moved since the last one.',
    fallback: 'off',
  },
  outboundAllow: {
    flag: 'outbound-allow',
    env: ['SLIPWAY_OUTBOUND_ALLOW'],
    meaning:
      'Addresses besides public ones that resources may name: comma-separated `HOST`, `ADDRESS` or `NETWORK/BITS`, each with an optional `:PORT`. Loopback, link-local and metadata addresses need their port, such as `127.0.0.1:8443`.',
    fallback: 'public addresses only',
  },
  helmAtOnce: {
    flag: 'helm-at-once',
    env: ['SLIPWAY_HELM_AT_ONCE'],
    meaning: 'How many Helm processes may run at once, 1 to 16.',
    fallback: '2',
  },
  helmMemory: {
    flag: 'helm-memory',
    env: ['SLIPWAY_HELM_MEMORY'],
    meaning: 'MiB of memory that one Helm process may use, 128 to 65536; above that it gets SIGTERM, and SIGKILL 30 s later.',
    fallback: '1024',
  },
  helm: {
    flag: 'helm',
    env: ['SLIPWAY_HELM'],
    meaning: 'Helm to run, 3.13 or newer.',
    fallback: 'the one on the PATH, else `.tools/helm`',
  },
} as const;

const text = (fallback: string) => z.string().min(1).default(fallback);

/** The same, checked. */
export const chartSchema = {
  gitUrl: z.string().min(1).optional(),
  gitSecret: z
    .string()
    .regex(/^[a-z0-9.-]+\/[a-z0-9.-]+$/, 'must be NAMESPACE/NAME')
    .optional(),
  gitBranch: text(CHART_SETTINGS.gitBranch.fallback).refine((branch) => !branch.startsWith('-'), 'must be a branch'),
  gitChartsPath: text(CHART_SETTINGS.gitChartsPath.fallback),
  gitPollInterval: duration(CHART_SETTINGS.gitPollInterval.fallback),
  gitCloneTimeout: duration(CHART_SETTINGS.gitCloneTimeout.fallback),
  gitFetchTimeout: duration(CHART_SETTINGS.gitFetchTimeout.fallback),
  gitMirrorsLimit: wholeNumber(1, 16_777_216).default(16_384),
  chartsSyncInterval: duration(CHART_SETTINGS.chartsSyncInterval.fallback),
  chartsSyncTimeout: duration(CHART_SETTINGS.chartsSyncTimeout.fallback),
  chartsServiceAccount: text(CHART_SETTINGS.chartsServiceAccount.fallback),
  chartsApprovals: wholeNumber(0, 20).default(0),
  logReleaseDiffs: onOff.default('off'),
  chartsAlwaysCompare: onOff.default('off'),
  outboundAllow: z.string().optional(),
  helmAtOnce: wholeNumber(1, 16).default(2),
  helmMemory: wholeNumber(128, 65_536).default(1024),
  helm: z.string().min(1).optional(),
};
