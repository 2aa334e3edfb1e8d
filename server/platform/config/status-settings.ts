import { z } from 'zod';
import { FORMER_STATUS_POLICIES, STATUS_POLICIES } from '@/lib/contract/health';
import { duration, list } from './readers';

/** Settings of how the status of objects is computed. */
export const STATUS_SETTINGS = {
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
      'Health checks in Lua as Argo CD has them: folders of `group/Kind/health.lua` and `configmap:NAMESPACE/NAME` (an `argocd-cm`), comma-separated; see [status rules](status-rules.md).',
    fallback: 'none',
  },
  pollInterval: {
    flag: 'poll-interval',
    env: ['SLIPWAY_POLL_INTERVAL'],
    meaning: 'How often kinds are listed that may be listed but not watched, such as `10s` or `1m`; a second at least, an hour at most.',
    fallback: '10s',
  },
  statusPolicies: {
    flag: 'status-policies',
    env: ['SLIPWAY_STATUS_POLICIES'],
    meaning: `Alternative rules of built-in kinds, comma-separated: ${STATUS_POLICIES.map((name) => `\`${name}\``).join(', ')}; see [status rules](status-rules.md).`,
    fallback: 'none',
  },
} as const;

/** What they may be. */
export const statusSchema = {
  statusRules: z.string().min(1, 'must be a file or configmap:NAMESPACE/NAME').optional(),
  healthLua: z.string().min(1, 'must be a folder or configmap:NAMESPACE/NAME').optional(),
  pollInterval: duration('10s', { ms: 3_600_000, text: '1h' }),
  statusPolicies: list
    .pipe(z.array(z.enum([...STATUS_POLICIES, ...FORMER_STATUS_POLICIES], `must be a list of ${STATUS_POLICIES.join(', ')}`)))
    .default([]),
};
