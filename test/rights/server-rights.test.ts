import { describe, expect, it } from 'vitest';
import { readGranted } from '../support/server-rights/granted';
import { readUses } from '../support/server-rights/uses';

// After the whole suite on the real control plane: what it noted there (test/cluster/README.md).
const folder = process.env.SLIPWAY_CLUSTER_AUDIT;
if (folder === undefined) throw new Error('these tests want SLIPWAY_CLUSTER_AUDIT, the folder of the audit logs');
const uses = await readUses(folder);
const rights = (await readGranted()).flatMap((one) => {
  const { role, namespace, group, resource, name } = one;
  const whom = `${resource}${group === '' ? '' : `.${group}`}${name === undefined ? '' : ` ${name}`}`;
  return one.verbs.map((verb) => ({
    one: { ...one, verbs: [verb] },
    title: `${role}${namespace === undefined ? '' : ` in ${namespace}`}: ${verb} ${whom}`,
  }));
});

describe('what a role of the server gives is used, or a line above its rule says why it stays', () => {
  it.each(rights)('[issue 10.1] $title', ({ one }) => {
    expect(uses.missing(one)).toEqual([]);
  });
});
