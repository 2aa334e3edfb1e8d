import type { ClientRequest } from 'node:http';
import { Agent, request } from 'node:https';
import { describe, expect, it } from 'vitest';
import type { EmbeddedCluster } from '@/server/embedded';
import { startEmbedded } from '@/server/embedded';
import type { Clock } from '@/server/platform';
import { createRandom, realClock } from '@/server/platform';
import { until } from '@/test/support/until';
import { createSeededIds } from '../../../support/seeded-ids';
import { silentLog } from '../../../support/silent-log';

const MAPS = '/api/v1/namespaces/default/configmaps';
const JSON_TYPE = { 'content-type': 'application/json' };
const DEEP = 5_000;
const deep = (opener: string, closer: string) => `${opener.repeat(DEEP)}1${closer.repeat(DEEP)}`;

interface Answer {
  readonly status: number;
  readonly warning: string;
  readonly text: string;
}

/** A cluster with its HTTP door open, and somebody with all rights who sends what nobody should. */
async function open(clock: Clock = realClock) {
  const errors: unknown[] = [];
  const log = { ...silentLog, error: (...said: unknown[]) => void errors.push(said) };
  const random = createRandom(5);
  const embedded: EmbeddedCluster = await startEmbedded({ clock, random, ids: createSeededIds(random), log, controllers: false });
  const { url, token, kubeconfig } = await embedded.serve();
  const ca = Buffer.from(/certificate-authority-data: (\S+)/.exec(kubeconfig)?.[1] ?? '', 'base64');
  const agent = new Agent({ ca });
  const send = (path: string, method: string, headers: Record<string, string> = {}): ClientRequest => {
    const { hostname, port } = new URL(url);
    return request({ hostname, port, path, method, agent, headers: { authorization: `Bearer ${token}`, ...headers } });
  };
  return {
    embedded,
    errors,
    send,
    ask: (path: string, method = 'GET', headers: Record<string, string> = {}, body?: string) =>
      new Promise<Answer>((resolve, reject) => {
        const sent = send(path, method, { ...headers, ...(body === undefined ? {} : { 'content-length': `${Buffer.byteLength(body)}` }) });
        sent.on('response', (answer) => {
          const chunks: Buffer[] = [];
          const warning = Buffer.from(String(answer.headers.warning ?? ''), 'latin1').toString('utf8');
          answer.on('data', (chunk: Buffer) => chunks.push(chunk));
          answer.on('end', () => resolve({ status: answer.statusCode ?? 0, warning, text: Buffer.concat(chunks).toString('utf8') }));
        });
        sent.on('error', reject);
        sent.end(body);
      }),
    async [Symbol.asyncDispose]() {
      agent.destroy();
      await embedded[Symbol.asyncDispose]();
    },
  };
}

const body = (more: object, name = 'x') => JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, ...more });

describe('a hostile client of the HTTP door', () => {
  it.each([
    ['a method that there is not', 'TRACE', MAPS, {}, undefined, 405],
    ['a path that is no URL', 'GET', '/api/v1/namespaces/%zz/configmaps', {}, undefined, 400],
    ['a limit that is no number', 'GET', `${MAPS}?limit=1e9`, {}, undefined, 400],
    ['a limit beyond all numbers', 'GET', `${MAPS}?limit=99999999999999999999`, {}, undefined, 400],
    ['a version beyond all numbers', 'GET', `${MAPS}?resourceVersion=99999999999999999999999`, {}, undefined, 400],
    ['a token of nothing', 'GET', `${MAPS}?continue=bnVsbA`, {}, undefined, 400],
    ['a watch without a sense of time', 'GET', `${MAPS}?watch=1&timeoutSeconds=1e300`, {}, undefined, 400],
    ['a dry run of another kind', 'POST', `${MAPS}?dryRun=No`, JSON_TYPE, body({}), 422],
    ['a validation of another kind', 'POST', `${MAPS}?fieldValidation=Odd`, JSON_TYPE, body({}), 422],
    ['deep nesting in an object', 'POST', MAPS, JSON_TYPE, `{"apiVersion":"v1","kind":"ConfigMap","x":${deep('{"a":', '}')}}`, 400],
    ['deep nesting in YAML', 'POST', MAPS, { 'content-type': 'application/yaml' }, `a: ${deep('[', ']')}`, 400],
    ['deep nesting in a merge patch', 'PATCH', `${MAPS}/held`, { 'content-type': 'application/merge-patch+json' }, deep('{"a":', '}'), 400],
    [
      'deep nesting in a strategic patch',
      'PATCH',
      `${MAPS}/held`,
      { 'content-type': 'application/strategic-merge-patch+json' },
      deep('{"a":', '}'),
      400,
    ],
    ['deep nesting in a JSON patch', 'PATCH', `${MAPS}/held`, { 'content-type': 'application/json-patch+json' }, deep('[', ']'), 400],
    [
      'deep nesting in a configuration',
      'PATCH',
      `${MAPS}/held?fieldManager=a`,
      { 'content-type': 'application/apply-patch+yaml' },
      deep('{"a":', '}'),
      400,
    ],
    ['a media type from a prototype', 'PATCH', `${MAPS}/held`, { 'content-type': 'constructor' }, '{}', 415],
    ['metadata that is a list', 'POST', MAPS, JSON_TYPE, '{"apiVersion":"v1","kind":"ConfigMap","metadata":[1]}', 400],
    ['an apiVersion that is a number', 'POST', MAPS, JSON_TYPE, '{"apiVersion":1,"kind":"ConfigMap","metadata":{"name":"x"}}', 400],
    ['a grace that is no number', 'DELETE', `${MAPS}/held?gracePeriodSeconds=abc`, {}, undefined, 400],
    ['a grace that is an object', 'DELETE', `${MAPS}/held`, JSON_TYPE, '{"gracePeriodSeconds":{"a":1}}', 400],
    ['groups of nobody', 'GET', '/version', { 'impersonate-group': 'system:masters' }, undefined, 400],
    [
      'a time without end for a token',
      'POST',
      '/api/v1/namespaces/default/serviceaccounts/default/token',
      JSON_TYPE,
      '{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{"expirationSeconds":1e300}}',
      400,
    ],
  ] as const)('[cluster H4] is refused %s, and changes nothing', async (_what, method, path, headers, sent, status) => {
    await using door = await open();
    await door.embedded.cluster
      .create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: 'default', name: 'default' } })
      .catch(() => undefined);
    await door.embedded.cluster.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'default', name: 'held' },
      data: { a: '1' },
    });
    const before = (await door.ask(MAPS)).text;
    const answer = await door.ask(path, method, { ...headers }, sent);
    expect([answer.status, (JSON.parse(answer.text) as { kind: string }).kind]).toEqual([status, 'Status']);
    expect((await door.ask(MAPS)).text).toBe(before);
    expect(door.errors).toEqual([]);
  });

  it('[cluster H5] is warned of fields in any script, in one line of a length that clients read', async () => {
    await using door = await open();
    const odd = await door.ask(MAPS, 'POST', JSON_TYPE, body({ ключ: 1, 'a\r\nb "c"': 2 }, 'odd'));
    expect([odd.status, odd.warning]).toEqual([201, '299 - "unknown field \\"ключ\\"", 299 - "unknown field \\"ab \\"c\\"\\""']);
    const fields = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`field${at}`, 1]));
    const many = await door.ask(MAPS, 'POST', JSON_TYPE, body(fields, 'many'));
    expect(many.status).toBe(201);
    expect(many.warning.length).toBeLessThan(8_000);
    expect(door.errors).toEqual([]);
  });

  it('[cluster H4] finds no prototype: its words are keys like any others, or go', async () => {
    await using door = await open();
    const made = await door.ask(
      MAPS,
      'POST',
      JSON_TYPE,
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"data":{"constructor":"c","toString":"t"}}',
    );
    expect([made.status, (JSON.parse(made.text) as { data: unknown }).data]).toEqual([201, { constructor: 'c', toString: 't' }]);
    const patch = '{"__proto__":{"polluted":"1"},"constructor":{"prototype":{"polluted":"1"}},"data":{"__proto__":{"polluted":"1"}}}';
    await door.ask(`${MAPS}/x`, 'PATCH', { 'content-type': 'application/merge-patch+json' }, patch);
    await door.ask(`${MAPS}/x`, 'PATCH', { 'content-type': 'application/strategic-merge-patch+json' }, patch);
    await door.ask(
      `${MAPS}/x`,
      'PATCH',
      { 'content-type': 'application/json-patch+json' },
      '[{"op":"add","path":"/__proto__/polluted","value":"1"}]',
    );
    expect(
      (await door.ask('/version', 'GET', { 'impersonate-user': 'a', 'impersonate-extra-constructor': 'x', 'impersonate-extra-%zz': 'y' }))
        .status,
    ).toBe(200);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(door.errors).toEqual([]);
  });

  it('[cluster R4] leaves no watch behind, however many it opens and whenever it cuts them off', async () => {
    let timers = 0;
    const clock: Clock = {
      ...realClock,
      schedule(delayMs, task) {
        timers++;
        let isOver = false;
        const over = () => {
          if (!isOver) timers--;
          isOver = true;
        };
        const cancel = realClock.schedule(delayMs, () => {
          over();
          task();
        });
        return () => {
          over();
          cancel();
        };
      },
    };
    await using door = await open(clock);
    const before = timers;
    const watches = Array.from({ length: 300 }, () =>
      door.send(`${MAPS}?watch=1&allowWatchBookmarks=true&labelSelector=none%3Dhere`, 'GET'),
    );
    for (const watch of watches) {
      watch.on('error', () => undefined);
      watch.end();
    }
    await until('the watches are open', () => timers - before >= watches.length);
    for (const watch of watches) watch.destroy();
    const hasty = Array.from({ length: 100 }, () => door.send(`${MAPS}?watch=1&allowWatchBookmarks=true&labelSelector=none%3Dhere`, 'GET'));
    for (const watch of hasty) {
      watch.on('error', () => undefined);
      watch.on('finish', () => watch.destroy()); // before there can be an answer
      watch.end();
    }
    await until('no watch is left', () => timers === before);
    expect((await door.ask('/version')).status).toBe(200);
    expect(door.errors).toEqual([]);
  });
});
