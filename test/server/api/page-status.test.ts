import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { AppError } from '@/lib/contract/app-error';
import { formatTopic } from '@/lib/contract/topic';
import { createPageStatus } from '@/server/api/pages/page-status';
import type { Act, Auth, Session } from '@/server/auth';
import { ManualClock } from '../../support/manual-clock';
import { createFakeReadModel } from './fake-read-model';

const asked: string[] = [];

/** The status of a page for somebody who may see everything but rollouts and the record, where nothing is there but shop/web and what is made of it. */
async function statusOf(
  url: string,
  over: { readonly signedIn?: boolean; readonly rsc?: boolean; readonly mayCreate?: boolean } = {},
): Promise<number | undefined> {
  const row = { key: 'web' };
  const readModel = createFakeReadModel({
    'application/shop/web': [row],
    'tracker/web-v1-shop': [row],
    'release/shop/helmrelease/web': [row],
    'flux/shop/gitrepository/web': [row],
  });
  const auth = {
    readSession: async () => (over.signedIn === false ? undefined : ({ user: 'ann' } as Session)),
    authorise: async (_session: Session, act: Act) => {
      const topic = act.kind === 'view-topic' ? formatTopic(act.topic) : '';
      if (act.kind === 'create-somewhere' && over.mayCreate === false) throw new AppError('forbidden', 'ann may not');
      if (topic.startsWith('rollout') || topic === 'activity') throw new AppError('forbidden', 'ann may not');
      return { visibility: 'all' };
    },
  } as unknown as Auth;
  const requireVisible = async (
    _session: Session,
    { of, ns = '-', name = '-' }: { of: { named: string }; ns?: string | undefined; name?: string },
  ) => {
    asked.push(`${of.named} ${ns} ${name}`);
    throw new AppError('not-found', 'there is none');
  };
  const status = createPageStatus({ auth, readModel, commands: { requireVisible }, clock: new ManualClock() });
  return status({ url, method: 'GET', headers: over.rsc ? { rsc: '1' } : {} } as unknown as IncomingMessage);
}

describe('the status of a page', () => {
  it.each([
    '/applications/shop/gone',
    '/applications/shop/gone/edit',
    '/trackers/gone',
    '/releases/shop/helmrelease/gone',
    '/releases/shop/helmrelease/gone?tab=values',
    '/releases/shop/application/web',
    '/releases/shop/gitrepository/web/edit',
    '/pods/shop/gone/logs',
    '/pods/shop/gone/terminal',
    '/objects/apps/deployments/shop/gone',
    '/objects/apps/deployments/shop/gone/edit',
  ])('[issue 14.3] is 404 where what it is about is not there: %s', async (url) => {
    expect(await statusOf(url)).toBe(404);
  });

  it.each(['/rollouts', '/rollouts?q=a', '/rollouts/history', '/rollouts/shop/web', '/rollouts/shop/gone'])(
    '[issue 14.3] is 403 where a right is missing, and tells nobody whether there is one: %s',
    async (url) => {
      expect(await statusOf(url)).toBe(403);
    },
  );

  it.each([
    '/',
    '/applications',
    '/applications/new',
    '/applications/shop/web',
    '/applications/shop/web/edit',
    '/trackers/strays',
    '/trackers/web-v1-shop',
    '/releases/shop/helmrelease/web/edit',
    '/releases/shop/gitrepository/web',
    '/engine',
  ])('[issue 14.3] is that of the page itself where it can be shown: %s', async (url) => {
    expect(await statusOf(url)).toBeUndefined();
  });

  it('[issue 14.3] is 403 of the page for a new application, where somebody may create none anywhere', async () => {
    expect(await statusOf('/applications/new', { mayCreate: false })).toBe(403);
    expect(await statusOf('/applications/new/', { mayCreate: false })).toBe(403);
  });

  it('[issue 14.3] is asked of nothing for who is not signed in, for a part of a page, and for an address that cannot be read', async () => {
    asked.length = 0;
    expect(await statusOf('/pods/shop/gone/logs', { signedIn: false })).toBeUndefined();
    expect(await statusOf('/pods/shop/gone/logs', { rsc: true })).toBeUndefined();
    expect(await statusOf('/applications/shop/%zz')).toBeUndefined();
    expect(await statusOf('/pods/%zz/gone/logs')).toBeUndefined();
    expect(asked).toEqual([]);
    expect(await statusOf('/pods/shop/gone/logs')).toBe(404);
    expect(asked).toEqual(['pods shop gone']);
  });
});
