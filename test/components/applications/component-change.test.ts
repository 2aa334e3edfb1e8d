import { describe, expect, it } from 'vitest';
import { readChange } from '@/components/applications/component-change';
import type { ComponentView } from '@/lib/contract/application-rows';

const web: ComponentView = { name: 'web', type: 'webservice', image: 'web:1', replicas: 3, traits: [], rolledOut: true };

describe('a change of a component', () => {
  it.each([
    ['only what differs is sent', web, { image: ' web:2 ', replicas: '3' }, { kind: 'change', fields: { image: 'web:2' } }],
    ['zero replicas are a change', web, { image: 'web:1', replicas: '0' }, { kind: 'change', fields: { replicas: 0 } }],
    ['nothing typed again', web, { image: 'web:1', replicas: '3' }, { kind: 'same' }],
    ['an image is needed', web, { image: ' ', replicas: '3' }, { kind: 'wrong' }],
    ['a fraction is no count', web, { image: 'web:1', replicas: '2.5' }, { kind: 'wrong' }],
    ['too many', web, { image: 'web:1', replicas: '10001' }, { kind: 'wrong' }],
    [
      'a component without scale has none to send',
      { ...web, replicas: null },
      { image: 'web:2', replicas: '' },
      { kind: 'change', fields: { image: 'web:2' } },
    ],
  ] as const)('[design 3] %s', (_title, component, typed, outcome) => {
    expect(readChange(component, typed)).toMatchObject(outcome);
  });
});
