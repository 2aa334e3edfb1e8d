import type { TypeRef } from './object';

/** The kinds of Flux that are shown and never driven. They are watched where the cluster serves them, and only there. */
export const FLUX_KINDS = {
  'helmrelease-v2': { apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease' },
  gitrepository: { apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'GitRepository' },
  helmrepository: { apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'HelmRepository' },
  ocirepository: { apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'OCIRepository' },
  helmchart: { apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'HelmChart' },
} as const satisfies Record<string, TypeRef>;

/** Annotations by which a person asks the controllers of Flux for something; each value is a token, told as handled in the status. */
export const FLUX_REQUEST_ANNOTATIONS = {
  requested: 'reconcile.fluxcd.io/requestedAt',
  force: 'reconcile.fluxcd.io/forceAt',
  reset: 'reconcile.fluxcd.io/resetAt',
} as const;
