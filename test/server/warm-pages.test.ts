import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { realClock } from '@/server/platform';
import { runtime } from '@/server/runtime';
import { warmPages } from '@/server/warm-pages';
import { silentLog } from '../support/silent-log';

it('[design 14] renders the first page of the console once before anybody can ask for one, for nobody', async () => {
  const asked: string[] = [];
  const handle = async ({ url = '' }: IncomingMessage, response: ServerResponse) => {
    const reads = await runtime().reads(null);
    const read = await reads?.snapshot('status').catch((error: Error) => error.message);
    asked.push(`${url} by "${reads?.session.user}": ${read}`);
    response.end('<html></html>');
  };
  await warmPages(handle, { clock: realClock, log: silentLog });
  expect(asked).toEqual(['/ by "": the server starts']);
});

it('[design 14] starts the server anyway when that page cannot be rendered', async () => {
  let asked = 0;
  const handle = async () => {
    asked++;
    throw new Error('a page that cannot be rendered');
  };
  await warmPages(handle, { clock: realClock, log: silentLog });
  expect(asked).toBe(1);
});
