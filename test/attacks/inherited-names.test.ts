import { describe, expect, it } from 'vitest';
import { KINDS } from '@/lib/kube/kinds';
import { formatTerminating } from '@/lib/words/format-terminating';
import { pageTopic } from '@/server/api/pages/page-topic';
import { parseApplication } from '@/server/application';
import { describePolicy } from '@/server/readmodel/applications/describe-policy';
import { summarisePolicy } from '@/server/rollout';

/** Names that every object of JavaScript has, and that people may give as well. */
const INHERITED = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__'];

describe.each(INHERITED)('[issue 10.4] something that is called %s', (name) => {
  it('is a policy like any other of which nothing is known: it is told, and refused by name', () => {
    expect(describePolicy({ type: name, properties: { a: 1 } })).toEqual({ type: name, summary: 'a 1' });
    const policies = [{ name: 'p', type: name, properties: {} }];
    const components = [{ name: 'web', type: 'webservice', properties: { image: 'web:1' } }];
    const application = {
      ...KINDS.application,
      metadata: { name: 'web', namespace: 'shop', uid: 'u' },
      spec: { components, policies },
    };
    expect(() => parseApplication(application)).toThrow(`found "${name}"`);
  });

  it('is a strategy by its name', () => {
    expect(summarisePolicy({ component: 'web', strategy: name })).toContainEqual(expect.stringContaining(name));
    expect(summarisePolicy({ component: 'web', strategy: 'availability' })).toContain('new replicas come up before old ones go');
    const rule = { strategy: name, selector: { resourceNames: ['a'] } };
    expect(describePolicy({ type: 'garbage-collect', properties: { rules: [rule] } }).summary).toBe(`${name} called a`);
  });

  it('is a finalizer by its name', () => {
    expect(formatTerminating([name, 'foregroundDeletion'])).toBe(
      `it is being deleted, held until what it owns is gone (foregroundDeletion) and ${name} is removed`,
    );
  });

  it('is no page', () => {
    expect(pageTopic(`/${name}`)).toBeUndefined();
    expect(pageTopic('/rollouts')).toEqual({ kind: 'rollouts', query: {} });
  });
});
