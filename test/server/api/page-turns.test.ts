import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { createPageTurns } from '@/server/api/pages/page-turns';
import type { Session } from '@/server/auth';

interface Asking {
  readonly cookie?: string;
  readonly from?: string;
  readonly url?: string;
  readonly gone?: boolean;
}

/** Pages that stay under way until they are let end; a cookie is the name of who is signed in. */
function aDesk() {
  const turns = createPageTurns({
    auth: { readSession: async (cookie) => (cookie ? ({ user: cookie } as Session) : undefined) },
    peers: { sourceOf: ({ socket }) => socket.remoteAddress ?? '' },
  });
  const underWay: { readonly who: string; readonly end: () => void }[] = [];
  const ask = ({ cookie, from = '10.0.0.7', url = '/applications', gone = false }: Asking = {}) => {
    const request = { url, headers: { cookie }, socket: { remoteAddress: from, destroyed: gone } } as unknown as IncomingMessage;
    return turns(request, () => new Promise<void>((resolve) => underWay.push({ who: cookie ?? from, end: resolve })));
  };
  return { ask, underWay, whose: () => underWay.map(({ who }) => who) };
}

it('[issue 10.4] of the pages of a person two are computed at once, the others wait, too many are refused, and another person is served at once', async () => {
  const { ask, underWay, whose } = aDesk();
  const asked = Array.from({ length: 52 }, () => ask({ cookie: 'ann' }));
  await expect.poll(whose).toEqual(['ann', 'ann']);
  await expect(ask({ cookie: 'ann', from: '10.0.0.8' })).rejects.toMatchObject({
    code: 'too-many',
    message: 'ann has 52 pages running or waiting, which is the limit; try again in a second',
  });
  void ask({ cookie: 'ben' });
  await expect.poll(whose).toEqual(['ann', 'ann', 'ben']);
  for (let at = 0; at < 53; at++) {
    await expect.poll(() => underWay.length).toBeGreaterThan(at);
    underWay[at]?.end();
  }
  await Promise.all(asked);
});

it('[issue 10.4] of strangers the pages of each address are counted, and take no turn of a person of that name', async () => {
  const { ask, whose } = aDesk();
  for (const _page of Array.from({ length: 52 })) void ask({ from: '10.0.0.7' });
  await expect.poll(whose).toEqual(['10.0.0.7', '10.0.0.7']);
  await expect(ask({ from: '10.0.0.7' })).rejects.toMatchObject({ code: 'too-many' });
  void ask({ from: '10.0.0.8' });
  void ask({ cookie: '10.0.0.7' });
  await expect.poll(whose).toEqual(['10.0.0.7', '10.0.0.7', '10.0.0.8', '10.0.0.7']);
});

it('[issue 10.4] files that stand ready take no turn, and nothing is computed for whoever went away', async () => {
  const { ask, whose } = aDesk();
  for (const _page of [1, 2]) void ask({ cookie: 'ann' });
  await expect.poll(whose).toHaveLength(2);
  void ask({ cookie: 'ann', url: '/_next/static/chunks/a.js' });
  await expect.poll(whose).toHaveLength(3);
  await ask({ cookie: 'ben', gone: true });
  expect(whose()).toHaveLength(3);
});
