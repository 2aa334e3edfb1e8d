import { describe, expect, it } from 'vitest';
import { AppError } from '@/lib/contract/app-error';
import { explainInvalid, toAppError } from '@/server/commands/refusal';
import { KubeApiError, KubeTransportError, NoMatchError } from '@/server/kube';

const refused = (code: number) => new KubeApiError({ code, reason: 'Because', message: 'a sentence of the cluster' });
const invalid = (causes: readonly { readonly field?: string; readonly message?: string }[]) =>
  new KubeApiError({ code: 422, reason: 'Invalid', message: 'all of it', details: { causes } });

describe('what the cluster refuses', () => {
  it.each([
    [400, 'invalid'],
    [401, 'unauthenticated'],
    [403, 'forbidden'],
    [404, 'not-found'],
    [405, 'rejected'],
    [409, 'conflict'],
    [410, 'conflict'],
    [413, 'too-large'],
    [418, 'rejected'],
    [422, 'invalid'],
    [429, 'too-many'],
    [499, 'rejected'],
    [500, 'unavailable'],
    [503, 'unavailable'],
  ])('[design 8] with %i is told as %s, in its own words', (status, code) => {
    const error = refused(status);
    expect(toAppError(error)).toMatchObject({
      code,
      message: 'The cluster answered: a sentence of the cluster',
      details: { reason: 'Because' },
      cause: error,
    });
  });

  it('[design 8] is told from what does not answer, what it does not know, what was said here, and surprises, whose words are the log’s', () => {
    const own = new AppError('stale', 'look again');
    expect(toAppError(own)).toBe(own);
    const silent = new KubeTransportError('no route');
    expect(toAppError(silent)).toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/^The cluster does not answer: /),
      cause: silent,
    });
    const unknown = new NoMatchError({ apiVersion: 'a/v1', kind: 'B' });
    expect(toAppError(unknown)).toMatchObject({
      code: 'not-found',
      message: `The cluster does not know this kind: ${unknown.message}`,
      cause: unknown,
    });
    const surprise = new Error('password of the store');
    expect(toAppError(surprise)).toMatchObject({
      code: 'internal',
      message: 'Something failed inside the server; its log says what.',
      cause: surprise,
    });
  });
});

describe('fields that the cluster does not take', () => {
  it('[design 8] are named with what is wrong, three of them at most, and without the values', () => {
    const causes = [
      { field: 'spec.a', message: 'Invalid value: {"a": "a secret\nof two lines"}: must be a name' },
      { field: 'spec.b', message: 'Duplicate value: "b": is there already\n  - line\n  + line' },
      { message: ' Required value ' },
      { field: 'spec.d', message: 'never told' },
    ];
    expect(explainInvalid(invalid(causes))).toBe('spec.a: must be a name; spec.b: is there already; Required value');
    expect(explainInvalid(invalid([{ field: 'spec.a' }]))).toBe('spec.a: ');
    expect(explainInvalid(invalid([{ message: 'it says Invalid value: a: b' }]))).toBe('it says Invalid value: a: b');
  });

  it('[design 8] where none is named, the whole is told', () => {
    for (const error of [invalid([]), new KubeApiError({ code: 422, reason: 'Invalid', message: 'all of it' })])
      expect(explainInvalid(error)).toBe('The cluster answered: all of it');
    expect(explainInvalid(new Error('x'))).toBe('Something failed inside the server; its log says what.');
  });
});
