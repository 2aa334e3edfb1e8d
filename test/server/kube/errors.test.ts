import { describe, expect, it } from 'vitest';
import { getApiStatus, KubeApiError } from '@/server/kube';

const CANARY = 'c4nary-51d0';

describe('a refusal of the API server', () => {
  it.each([
    ['a strategic patch', `Invalid value: "map[data:map[a:${CANARY} \\"quoted\\" b:1]]": error decoding from json`, 'error decoding from json'],
    ['a merge patch with the object under it', `Invalid value: "{\\"data\\":{\\"a\\":\\"${CANARY}\\"}}": illegal base64 data`, 'illegal base64 data'],
  ])('[design 8] does not repeat the values of %s, which may be those of a Secret', (_what, said, kept) => {
    const details = { causes: [{ reason: 'FieldValueInvalid', field: 'patch', message: said }] };
    const error = new KubeApiError({ code: 422, reason: 'Invalid', message: ` "" is invalid: patch: ${said}`, details });
    expect(JSON.stringify([error.message, getApiStatus(error)])).not.toContain(CANARY);
    expect(error.message).toBe(` "" is invalid: patch: Invalid value: (not repeated): ${kept}`);
  });

  it('[design 8] keeps every other value, which says what is wrong', () => {
    const message = 'Deployment.apps "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0';
    expect(new KubeApiError({ code: 422, reason: 'Invalid', message }).message).toBe(message);
  });
});
