import { z } from 'zod';
import { AppError } from '@/lib/contract/app-error';
import { helmLog, hookLog, releaseHooks } from '@/lib/contract/release-log';
import { objectPath } from '@/lib/contract/requests';
import { toIso } from '@/lib/std/instant';
import type { Route } from '../route';
import { defineRoute, requireSession } from '../route';
import { kindQuery, viewRelease } from './release-params';
import { permitStorage, readDetail } from './release-storage';

const hookName = z.string().regex(/^(Job|Pod)\/[^/]+$/, 'must be Job/NAME or Pod/NAME');

export const releaseLogRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/v1/namespaces/:ns/releases/:name/log',
    summary:
      'The output of Helm from its current or last change of a release: the newest 200 lines, values masked, from the replica that runs Helm.',
    params: objectPath,
    query: kindQuery,
    answer: helmLog,
    status: 200,
    act: viewRelease,
    async handle(named, caller, deps) {
      const { release, work } = await readDetail(named, caller, deps);
      const log = deps.helmLogs.logOf(release);
      const isElsewhere = work?.kind === 'elsewhere';
      if (log === undefined) return { log: null, isElsewhere };
      const { command, since, until, lines, earlier } = log;
      const shown = lines.map(({ at, text, times }) => ({ at: toIso(at), text, times }));
      return { log: { command, since: toIso(since), until: until === null ? null : toIso(until), lines: shown, earlier }, isElsewhere };
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/namespaces/:ns/releases/:name/hooks',
    summary: 'The hooks of the newest revision that Helm stored of a release, and how each ended when it ran last.',
    params: objectPath,
    query: kindQuery,
    answer: releaseHooks,
    status: 200,
    act: viewRelease,
    async handle(named, caller, deps) {
      const release = await permitStorage(named, caller, deps);
      const [{ hooks }, definitions] = await Promise.all([deps.releases.readHooks(release), deps.releases.staleDefinitions(release)]);
      return { hooks, definitions: [...definitions] };
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/v1/namespaces/:ns/releases/:name/hooks/log',
    summary:
      'The newest 200 lines of each container of a hook (`hook` is Job/NAME or Pod/NAME), read as the person who asks, values of the release masked.',
    params: objectPath,
    query: kindQuery.extend({ hook: hookName }),
    answer: hookLog,
    status: 200,
    act: viewRelease,
    async handle(named, caller, deps) {
      const { hooks, mask } = await deps.releases.readHooks(await permitStorage(named, caller, deps));
      const hook = hooks.find(({ kind, name, hasLog }) => hasLog && `${kind}/${name}` === named.query.hook);
      if (hook === undefined) throw new AppError('not-found', `the newest revision of the release has no hook ${named.query.hook}`);
      const containers = await deps.commands.readLogs(requireSession(caller), hook);
      return { containers: containers.map((one) => ({ ...one, text: mask(one.text) })) };
    },
  }),
];
