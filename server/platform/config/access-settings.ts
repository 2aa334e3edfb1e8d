import { z } from 'zod';
import { OIDC_SETTINGS, oidcSchema } from './oidc-settings';
import { list, onOff, wholeNumber } from './readers';

/** How people sign in. */
export const AUTH_MODES = ['local', 'token', 'oidc'] as const;

/** Settings of who comes in, and of how much each person may ask. */
export const ACCESS_SETTINGS = {
  auth: {
    flag: 'auth',
    env: ['SLIPWAY_AUTH'],
    meaning:
      'How people sign in: `local` (one-time token printed at start), `token` (a bearer token of the cluster) or `oidc` (a provider; the server acts for them, see `deploy/rbac/oidc`).',
    fallback: 'local',
  },
  ...OIDC_SETTINGS,
  unattributed: {
    flag: 'unattributed',
    env: ['SLIPWAY_UNATTRIBUTED'],
    meaning:
      'What an application may contain while its requester is unknown, as on clusters without `MutatingAdmissionPolicy` (before 1.36): `own` (objects in its own namespace that grant no rights), `all` or `none`. Where the requester is known, an application may contain what that person may write.',
    fallback: 'own',
  },
  publicUrl: {
    flag: 'public-url',
    env: ['SLIPWAY_PUBLIC_URL'],
    meaning: 'Address that people open, if behind a proxy; its origin is accepted on writes and sockets.',
    fallback: 'the address listened on',
  },
  trustedProxies: {
    flag: 'trusted-proxies',
    env: ['SLIPWAY_TRUSTED_PROXIES'],
    meaning:
      'Proxies in front, as comma-separated addresses and networks, such as `10.0.0.7,10.1.0.0/16`. Their `X-Forwarded-For` is trusted. In sign-in modes `token` and `oidc` only they may use plain http, if the public address is https; loopback always may.',
    fallback: 'none',
  },
  terminal: {
    flag: 'terminal',
    env: ['SLIPWAY_TERMINAL'],
    meaning:
      'Whether people may open a terminal in a container and forward ports of a pod, `on` or `off`; they need `create` on `pods/exec` or `pods/portforward` besides, since both are opened as them.',
    fallback: 'on',
  },
  maxSockets: {
    flag: 'max-sockets',
    env: ['SLIPWAY_MAX_SOCKETS'],
    meaning: 'Live connections of one person at a time, over all their sessions.',
    fallback: '20',
  },
  maxSubscriptions: {
    flag: 'max-subscriptions',
    env: ['SLIPWAY_MAX_SUBSCRIPTIONS'],
    meaning: 'Topics that one live connection watches at a time.',
    fallback: '200',
  },
  maxRequests: {
    flag: 'max-requests',
    env: ['SLIPWAY_MAX_REQUESTS'],
    meaning: 'Requests of one person per second; twice as many at once after a pause.',
    fallback: '50',
  },
  maxSessions: {
    flag: 'max-sessions',
    env: ['SLIPWAY_MAX_SESSIONS'],
    meaning: 'Sessions of one person at a time; one more ends the oldest.',
    fallback: '10',
  },
  maxSignIns: {
    flag: 'max-sign-ins',
    env: ['SLIPWAY_MAX_SIGN_INS'],
    meaning: 'Sign-ins that may fail within a minute from one address, and with one beginning of a token.',
    fallback: '10',
  },
} as const;

const limit = wholeNumber(1, 100_000);

/** What they may be. */
export const accessSchema = {
  auth: z.enum(AUTH_MODES, 'must be local, token or oidc').default('local'),
  ...oidcSchema,
  unattributed: z.enum(['own', 'all', 'none'], 'must be own, all or none').default('own'),
  publicUrl: z.url('must be an address such as https://slipway.example.com').optional(),
  trustedProxies: list.default([]),
  terminal: onOff.default('on'),
  maxSockets: limit.default(20),
  maxSubscriptions: limit.default(200),
  maxRequests: limit.default(50),
  maxSessions: limit.default(10),
  maxSignIns: limit.default(10),
};
