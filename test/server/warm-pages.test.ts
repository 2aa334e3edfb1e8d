import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { realClock, silentLog } from '@/server/platform';
import { runtime } from '@/server/runtime';
import { warmPages } from '@/server/warm-pages';

it('[design 14] renders the first pages once before anybody can ask for one, for nobody, and gets over a page that fails', async () => {
  const asked: string[] = [];
  const handle = async ({ url = '' }: IncomingMessage, response: ServerResponse) => {
    const reads = await runtime().reads(null);
    const read = await reads?.snapshot('status').catch((error: Error) => error.message);
    asked.push(`${url} by "${reads?.session.user}": ${read}`);
    if (url === '/sign-in') throw new Error('a page that cannot be rendered');
    response.end('<html></html>');
  };
  await warmPages(handle, { clock: realClock, log: silentLog });
  expect(asked).toEqual(['/sign-in by "": the server starts', '/ by "": the server starts']);
});
