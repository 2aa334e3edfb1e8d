import { describe, expect, it } from 'vitest';
import { capitalise } from '@/server/readmodel/capitalise';

describe('a sentence of a row', () => {
  it.each([
    ['stage 2 needs 4 ready replicas of web-v2, has 1', [], 'Stage 2 needs 4 ready replicas of web-v2, has 1'],
    ['waiting for 1 approval after stage 1', [], 'Waiting for 1 approval after stage 1'],
    ['all traffic goes to web-v2', [], 'All traffic goes to web-v2'],
    ['storefront rolls out to web-v2', ['storefront'], 'storefront rolls out to web-v2'],
    ['web: image from web:1 to web:2', [], 'web: image from web:1 to web:2'],
    ['Deployment web: Available: 1/2', [], 'Deployment web: Available: 1/2'],
    ['3 of 4 objects are owned by it now', [], '3 of 4 objects are owned by it now'],
    [
      'viewer may not do this: it requires the right "update" on deployments',
      [],
      'viewer may not do this: it requires the right "update" on deployments',
    ],
    ['it may no longer be read: forbidden', [], 'It may no longer be read: forbidden'],
    ['pods may not be read', [], 'Pods may not be read'],
    ['', [], ''],
  ])('[design 9] “%s” with the names %j reads “%s”', (sentence, names, shown) => {
    expect(capitalise(sentence, names)).toBe(shown);
  });
});
