import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signIn } from '../support/api-person';
import type { Visit, Visitors } from '../support/browser';
import { startBrowser } from '../support/browser';
import { demonstrationInPlace } from '../support/demonstration';
import { printFigure } from '../support/figure';
import type { ServerProcess } from '../support/server-process';
import { startServerProcess } from '../support/server-process';

const LIMIT_MS = 60_000;

describe('the figures of a server that does nothing else', () => {
  let server: ServerProcess;
  let visitors: Visitors;
  let operator: Visit;

  beforeAll(async () => {
    server = await startServerProcess();
    visitors = await startBrowser();
    const asked = performance.now();
    operator = await visitors.visit(server.address);
    await operator.page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor({ timeout: LIMIT_MS });
    printFigure('first start', server.startedIn, 8000, 'ms');
    printFigure('first page', performance.now() - asked, 3000, 'ms');
  });

  afterAll(async () => {
    await visitors?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  it('[style 1.3] a page sees the very engine that serves the API', async () => {
    const { context } = operator;
    const html = await (await context.request.get(`${server.origin}/`)).text();
    const live = (await (await context.request.get(`${server.origin}/api/v1/rows?topic=inbox`)).json()) as { seq: { bootId: string } };
    expect(live.seq.bootId).toMatch(/^[0-9a-f-]{36}$/);
    expect(html).toContain(live.seq.bootId);
  });

  it('[design 3.7] a second browser sees what somebody else changed, and says how long that took', async () => {
    const person = await signIn(server, (await inviteBy(operator, server)).url);
    await demonstrationInPlace(person); // it keeps the server busy until then
    const second = await visitors.visit((await inviteBy(operator, server)).url);
    await second.page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor({ timeout: LIMIT_MS });
    await second.page.goto(`${server.origin}/applications/shop/storefront`);
    await second.page.getByText('storefront/cart:4.2').filter({ visible: true }).first().waitFor({ timeout: LIMIT_MS });
    const application = await person.row<{ uid: string; generation: number }>('application/shop/storefront');
    const clicked = performance.now();
    const body = {
      component: 'cart',
      image: 'registry.example.com/storefront/cart:4.3',
      uid: application?.uid,
      generation: application?.generation,
    };
    expect((await person.post('/api/v1/namespaces/shop/applications/storefront/change', body)).status).toBe(202);
    await second.page.getByText('storefront/cart:4.3').filter({ visible: true }).first().waitFor({ timeout: LIMIT_MS });
    printFigure('a change is seen in a second browser after', Math.round(performance.now() - clicked), 1000, 'ms');
    expect(second.faults).toEqual([]);
  });

  it('[issue figures] idle memory', () => {
    const kib = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]);
    printFigure('resident memory', kib / 1024, 450, 'MB');
    expect(kib).toBeGreaterThan(0);
  });
});

async function inviteBy({ context }: Visit, { origin }: ServerProcess): Promise<{ readonly url: string }> {
  const answer = await context.request.post(`${origin}/api/v1/session/links`, { data: { role: 'operator' }, headers: { origin } });
  expect(answer.status()).toBe(200);
  return (await answer.json()) as { url: string };
}
