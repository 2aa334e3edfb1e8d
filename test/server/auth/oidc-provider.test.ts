import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { discover, isProtected, readKeys, redeemCode } from '@/server/auth/oidc/provider';

const SETTINGS = { issuer: '', clientId: 'slip way', clientSecret: undefined, usernameClaim: 'sub', prefix: '' };
type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});
async function open(answer: Answer): Promise<string> {
  const made = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    answer(request, response, Buffer.concat(chunks).toString());
  });
  server = made;
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(made.address() as AddressInfo).port}`;
}
const json =
  (value: unknown, status = 200): Answer =>
  (_request, response) =>
    void response.writeHead(status).end(typeof value === 'string' ? value : JSON.stringify(value));
const placesAt = (base: string) => ({
  scopes: [],
  authorizationEndpoint: `${base}/authorize`,
  tokenEndpoint: `${base}/token`,
  jwksUri: `${base}/keys`,
});
const published = (issuer: string, over: object = {}) => ({
  issuer,
  authorization_endpoint: 'https://login.example.com/authorize',
  token_endpoint: 'https://login.example.com/token',
  jwks_uri: 'https://login.example.com/keys',
  ...over,
});

describe('what a provider publishes', () => {
  const discovered = async (over: object = {}, path = '') => {
    const base = await open(({ url }, response) => {
      const isAsked = url === `${path.replace(/\/$/, '')}/.well-known/openid-configuration`;
      response.writeHead(isAsked ? 200 : 404).end(JSON.stringify(published(`${base}${path}`, over)));
    });
    return discover(`${base}${path}`);
  };

  it('[design 8] is read below its issuer, with a slash at its end or not', async () => {
    const places = { authorizationEndpoint: 'https://login.example.com/authorize', jwksUri: 'https://login.example.com/keys' };
    expect(await discovered()).toMatchObject(places);
    expect(await discovered({}, '/realms/one/')).toMatchObject(places);
  });

  it('[design 8] names the scopes that are asked for, of those that it knows', async () => {
    expect((await discovered()).scopes).toEqual(['openid', 'profile', 'email']);
    expect((await discovered({ scopes_supported: ['groups', 'email', 'offline_access'] })).scopes).toEqual(['openid', 'email', 'groups']);
  });

  it('[design 8] counts for nothing where it is of another issuer, or leads where anybody on the way can write', async () => {
    await expect(discovered({ issuer: 'https://login.example.com' })).rejects.toThrow('has the issuer https://login.example.com');
    for (const place of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'])
      await expect(discovered({ [place]: 'http://login.example.com/x' })).rejects.toThrow('http://login.example.com/x, which is not https');
    await expect(discovered({ token_endpoint: undefined })).rejects.toThrow('configuration that cannot be used: token_endpoint');
  });

  it.each([
    ['https://login.example.com', true],
    ['http://127.0.0.1:9', true],
    ['http://login.example.com', false],
    ['ftp://127.0.0.1', false],
  ])('[design 8] at %s is protected: %s', (address, expected) => {
    expect(isProtected(address)).toBe(expected);
  });

  it.each([
    ['no JSON', json('<html>'), 'does not answer with JSON'],
    ['an error', json({ keys: [] }, 500), 'answers 500'],
    ['a refusal', json({ keys: [] }, 400), 'answers 400'],
    ['more than anybody reads', json(`{"keys":[],"x":"${'x'.repeat(1024 * 1024)}"}`), 'the answer is too long'],
    ['keys of no type', json({ keys: [{ n: 'x' }] }), 'keys that cannot be used: keys.0.kty'],
    ['another place', ((_request, response) => void response.writeHead(302, { location: '/other' }).end()) as Answer, 'does not answer'],
  ])('[design 8] is not taken where it answers %s', async (_what, answer, why) => {
    const base = await open(answer);
    await expect(readKeys(placesAt(base))).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining(why) });
  });

  it('[design 8] may be a mebibyte', async () => {
    const text = JSON.stringify({ keys: [{ kty: 'RSA', kid: 'one', use: 'sig', n: 'x' }] });
    const base = await open(json(text.padEnd(1024 * 1024)));
    expect(await readKeys(placesAt(base))).toEqual([{ kty: 'RSA', kid: 'one', use: 'sig', n: 'x' }]);
  });
});

describe('a code', () => {
  const redeem = async (clientSecret: string | undefined, answer: Answer = json({ id_token: 'a.b.c' })) => {
    const seen: object[] = [];
    const base = await open((request, response, body) => {
      const { authorization, 'content-type': type } = request.headers;
      seen.push({ method: request.method, authorization, type, form: Object.fromEntries(new URLSearchParams(body)) });
      answer(request, response, body);
    });
    const form = new URLSearchParams({ code: 'once' });
    return { token: await redeemCode(placesAt(base), form, { ...SETTINGS, clientSecret }), seen };
  };
  const FORM = 'application/x-www-form-urlencoded';

  it('[design 8] is redeemed by a public client with its name, and by another with its secret alone', async () => {
    expect(await redeem(undefined)).toEqual({
      token: 'a.b.c',
      seen: [{ method: 'POST', authorization: undefined, type: FORM, form: { code: 'once', client_id: 'slip way' } }],
    });
    const authorization = `Basic ${Buffer.from('slip%20way:s%3Acret').toString('base64')}`;
    expect((await redeem('s:cret')).seen).toEqual([{ method: 'POST', authorization, type: FORM, form: { code: 'once' } }]);
  });

  it('[design 8] that is over is the fault of who signs in, and all else is the provider’s', async () => {
    await expect(redeem(undefined, json({ error: 'invalid_grant' }, 400))).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(redeem(undefined, json({ error: 'down' }, 503))).rejects.toMatchObject({ code: 'unavailable' });
    await expect(redeem(undefined, json({ access_token: 'x' }))).rejects.toThrow('tokens that cannot be used: id_token');
  });
});
