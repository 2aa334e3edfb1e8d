import type { JsonWebKey, KeyObject } from 'node:crypto';
import { constants, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { toInstant } from '@/lib/std/instant';
import { readIdToken } from '@/server/auth/oidc/id-token';
import type { ProviderKey } from '@/server/auth/oidc/provider';

const NOW = 1_800_000_000;
const BY = { issuer: 'https://login.example.com', clientId: 'slipway', nonce: 'once', now: toInstant(NOW * 1000) };
const CLAIMS = { iss: BY.issuer, sub: 'ada', aud: BY.clientId, exp: NOW + 300, iat: NOW, nonce: BY.nonce };
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const wideEc = generateKeyPairSync('ec', { namedCurve: 'secp384r1' });

const jwk = (key: KeyObject, over: Partial<ProviderKey> = {}) =>
  ({ ...(key.export({ format: 'jwk' }) as JsonWebKey), ...over }) as ProviderKey;
const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
type Sign = (signed: Buffer) => Buffer;
const pkcs: Sign = (signed) => sign('sha256', signed, rsa.privateKey);
const pss: Sign = (signed) =>
  sign('sha256', signed, { key: rsa.privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST });
const ecdsa =
  (key: KeyObject, dsaEncoding: 'ieee-p1363' | 'der' = 'ieee-p1363'): Sign =>
  (signed) =>
    sign('sha256', signed, { key, dsaEncoding });

function token(header: object, by: Sign, claims: object = {}): string {
  const signed = `${base64(header)}.${base64({ ...CLAIMS, ...claims })}`;
  return `${signed}.${by(Buffer.from(signed)).toString('base64url')}`;
}
const read = (text: string, ...keys: readonly ProviderKey[]) => readIdToken(text, { ...BY, keys });
const RSA = jwk(rsa.publicKey);
const EC = jwk(ec.publicKey);

describe('an ID token', () => {
  it.each([
    ['RS256', token({ alg: 'RS256' }, pkcs), RSA],
    ['PS256', token({ alg: 'PS256' }, pss), RSA],
    ['ES256', token({ alg: 'ES256' }, ecdsa(ec.privateKey)), EC],
  ] as const)('[design 8] that the provider signed with %s is taken', (_alg, text, key) => {
    expect(read(text, key)).toMatchObject({ sub: 'ada' });
    expect(() => read(text)).toThrow('it is not signed by the provider');
    expect(() => read(`${text.slice(0, -6)}AAAAAA`, key)).toThrow('it is not signed by the provider');
  });

  it.each([
    ['PS256, signed as RS256 is', token({ alg: 'PS256' }, pkcs), [RSA]],
    ['RS256, signed as PS256 is', token({ alg: 'RS256' }, pss), [RSA]],
    ['RS256, signed with a key of ES256', token({ alg: 'RS256' }, ecdsa(ec.privateKey, 'der')), [EC]],
    ['ES256, signed with another curve', token({ alg: 'ES256' }, ecdsa(wideEc.privateKey)), [jwk(wideEc.publicKey)]],
    ['ES256, written otherwise', token({ alg: 'ES256' }, ecdsa(ec.privateKey, 'der')), [EC]],
    ['RS256, where the key cannot be read', token({ alg: 'RS256' }, pkcs), [{ kty: 'RSA' } as ProviderKey]],
    ['a key for encryption', token({ alg: 'RS256' }, pkcs), [jwk(rsa.publicKey, { use: 'enc' })]],
    ['a key of another name', token({ alg: 'RS256', kid: 'one' }, pkcs), [jwk(rsa.publicKey, { kid: 'two' }), RSA]],
  ] as const)('[design 8] that says %s is not taken', (_what, text, keys) => {
    expect(() => read(text, ...keys)).toThrow('it is not signed by the provider');
  });

  it('[design 8] is judged by the key that it names, or by any where it names none, whatever else the provider has', () => {
    const named = jwk(rsa.publicKey, { kid: 'one', use: 'sig' });
    const others = [EC, { kty: 'RSA' }, jwk(generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey, { kid: 'two' })];
    expect(read(token({ alg: 'RS256', kid: 'one' }, pkcs), ...others, named)).toMatchObject({ sub: 'ada' });
    expect(read(token({ alg: 'RS256' }, pkcs), ...others, named)).toMatchObject({ sub: 'ada' });
  });

  it.each([
    ['ended a minute ago', { exp: NOW - 59 }, { exp: NOW - 60 }, 'it is over'],
    ['begins in a minute', { iat: NOW + 60 }, { iat: NOW + 61 }, 'it is not valid yet'],
    [
      'is for several clients',
      { aud: ['slipway', 'grafana'], azp: 'slipway' },
      { aud: ['slipway', 'grafana'] },
      'it is for another client',
    ],
    ['is in a list', { aud: ['slipway'] }, { aud: [] }, 'it is for another client'],
    ['says this sign-in', { nonce: 'once' }, { nonce: undefined }, 'it belongs to another sign-in'],
    ['says who', { sub: 'a' }, { sub: '' }, 'its claims cannot be read'],
    ['says when', { exp: NOW + 1 }, { exp: undefined }, 'its claims cannot be read'],
  ] as const)('[design 8] that %s is taken, and one beyond is not', (_what, good, bad, why) => {
    expect(read(token({ alg: 'RS256' }, pkcs, good), RSA)).toMatchObject(good);
    expect(() => read(token({ alg: 'RS256' }, pkcs, bad), RSA)).toThrow(`is rejected: ${why}`);
  });

  it.each(['', 'a', 'a.b.c', `${base64({ alg: 'none' })}.${base64(CLAIMS)}.`])('[design 8] "%s" is none', (text) => {
    expect(() => read(text, RSA)).toThrow(
      expect.objectContaining({ code: 'unauthenticated', message: expect.stringContaining('its header') }),
    );
  });
});
