import { z } from 'zod';

/** Settings of sign-in mode oidc. */
export const OIDC_SETTINGS = {
  oidcIssuer: {
    flag: 'oidc-issuer',
    env: ['SLIPWAY_OIDC_ISSUER'],
    meaning:
      'Issuer of the OpenID Connect provider that people sign in with, for sign-in mode `oidc`. It sends people back to `/sign-in` of the public address.',
    fallback: 'none',
  },
  oidcClientId: {
    flag: 'oidc-client-id',
    env: ['SLIPWAY_OIDC_CLIENT_ID'],
    meaning: 'Client ID of this server at the provider.',
    fallback: 'none',
  },
  oidcClientSecret: {
    env: ['SLIPWAY_OIDC_CLIENT_SECRET'],
    meaning: 'Secret of that client; absent for a public client, which proves itself by PKCE alone.',
    isSecret: true,
    fallback: 'none',
  },
  oidcUsernameClaim: {
    flag: 'oidc-username-claim',
    env: ['SLIPWAY_OIDC_USERNAME_CLAIM'],
    meaning: 'Claim of the ID token that names the user; `email` counts only where the provider verified it. Groups are in claim `groups`.',
    fallback: 'sub',
  },
  oidcPrefix: {
    flag: 'oidc-prefix',
    env: ['SLIPWAY_OIDC_PREFIX'],
    meaning:
      'Put before the names of users and groups of the provider, as `--oidc-username-prefix` and `--oidc-groups-prefix` of the API server do.',
    fallback: 'oidc:',
  },
} as const;

/** What they may be. */
export const oidcSchema = {
  oidcIssuer: z.url('must be an address such as https://login.example.com').optional(),
  oidcClientId: z.string().min(1, 'must be a name').optional(),
  oidcClientSecret: z.string().min(1, 'must not be empty').optional(),
  oidcUsernameClaim: z.string().min(1, 'must be a claim').default(OIDC_SETTINGS.oidcUsernameClaim.fallback),
  oidcPrefix: z
    .string()
    .min(1, 'must be a prefix, so that no user of the provider has the name of a user of the cluster')
    .default(OIDC_SETTINGS.oidcPrefix.fallback),
};
