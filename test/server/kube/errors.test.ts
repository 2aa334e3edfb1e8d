import { describe, expect, it } from 'vitest';
import { getApiStatus, isImpersonationRefused, KubeApiError } from '@/server/kube';

const CANARY = 'c4nary-51d0';

describe('a refusal of the API server', () => {
  it.each([
    [
      'a strategic patch',
      `Invalid value: "map[data:map[a:${CANARY} \\"quoted\\" b:1]]": error decoding from json`,
      'error decoding from json',
    ],
    [
      'a merge patch with the object under it',
      `Invalid value: "{\\"data\\":{\\"a\\":\\"${CANARY}\\"}}": illegal base64 data`,
      'illegal base64 data',
    ],
  ])('[design 8] does not repeat the values of %s, which may be those of a Secret', (_what, said, kept) => {
    const details = { causes: [{ reason: 'FieldValueInvalid', field: 'patch', message: said }] };
    const error = new KubeApiError({ code: 422, reason: 'Invalid', message: ` "" is invalid: patch: ${said}`, details });
    expect(JSON.stringify([error.message, getApiStatus(error)])).not.toContain(CANARY);
    expect(error.message).toBe(` "" is invalid: patch: Invalid value: (not repeated): ${kept}`);
  });

  it.each([
    [
      'before 1.36',
      'users "ann" is forbidden: User "slipway" cannot impersonate resource "users" in API group "" at the cluster scope',
      true,
    ],
    [
      'from 1.36 on',
      'roles.rbac.authorization.k8s.io is forbidden: User "slipway" cannot impersonate-on:user-info:create resource "roles" in API group "b"',
      true,
    ],
    [
      'of a group',
      'groups "dev" is forbidden: User "slipway" cannot impersonate:user-info resource "groups" in API group "c" at the cluster scope',
      true,
    ],
    [
      'of the act itself',
      'roles is forbidden: User "ann" cannot create resource "roles" in API group "b" in the namespace "impersonate resource"',
      false,
    ],
  ])('[issue 10.1] tells that the server may not impersonate somebody, %s', (_when, message, isRefused) => {
    expect(isImpersonationRefused(new KubeApiError({ code: 403, reason: 'Forbidden', message }))).toBe(isRefused);
  });

  it('[design 8] keeps every other value, which says what is wrong', () => {
    const message = 'Deployment.apps "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0';
    expect(new KubeApiError({ code: 422, reason: 'Invalid', message }).message).toBe(message);
  });
});
