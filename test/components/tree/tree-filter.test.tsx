import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, describe, expect, it } from 'vitest';
import { TreeFilter } from '@/components/tree/tree-filter';
import type { TreeQuery } from '@/lib/contract/lists/tree-query';
import { formatTreeQuery } from '@/lib/contract/lists/tree-query';
import { fixtureTree } from '@/test/support/fixture/tree';
import { showScreen } from '@/test/support/screen';

// jsdom has no pointer capture, which menus ask for.
Element.prototype.hasPointerCapture ??= () => false;
Element.prototype.scrollIntoView ??= () => {};

const place = { ns: 'shop', name: 'storefront' };

function Held({ begin }: { readonly begin: TreeQuery }) {
  const [query, setQuery] = useState(begin);
  return (
    <>
      <TreeFilter place={place} query={query} counts={fixtureTree(30).lines.counts()} onChange={setQuery} />
      <output>{formatTreeQuery(query)}</output>
    </>
  );
}

const show = (begin: TreeQuery = {}) =>
  showScreen(<Held begin={begin} />, { topics: ['tree-facets/shop/storefront'], path: '/applications/shop/storefront' });
const asked = () => Object.fromEntries(new URLSearchParams(screen.getByRole('status').textContent));

describe('the filters of the objects of an application', () => {
  afterEach(() => globalThis.history.replaceState(null, '', '/'));

  it('[issue 14.3] offer the owners that its objects have, and ask for the one that is chosen', async () => {
    const user = userEvent.setup();
    await show({ kind: 'Pod' });
    await user.click(screen.getByRole('button', { name: 'Owner: Any owner' }));
    const offered = (await screen.findAllByRole('menuitemcheckbox')).map((item) => item.textContent);
    expect(offered).toContain('ReplicaSet shop/web-v3-6c9d8f7b5 (6)');
    await user.click(await screen.findByRole('menuitemcheckbox', { name: 'ReplicaSet shop/web-v3-6c9d8f7b5 (6)' }));
    expect(asked()).toEqual({ kind: 'Pod', owner: 'ReplicaSet/shop/web-v3-6c9d8f7b5' });
  });

  it('[issue 14.3] add a label, show each as a chip and take it out again', async () => {
    const user = userEvent.setup();
    await show({ labels: 'tier=web', closed: ['abc'] });
    await user.type(screen.getByRole('combobox', { name: 'Label selector' }), 'pod-template-hash{Enter}');
    expect(asked()).toEqual({ labels: 'tier=web,pod-template-hash', closed: 'abc' });
    await user.click(screen.getByRole('button', { name: 'Remove filter Labels: tier=web' }));
    expect(asked()).toEqual({ labels: 'pod-template-hash', closed: 'abc' });
    await user.click(within(screen.getByRole('list', { name: 'Filters' })).getByRole('button', { name: 'Clear filters' }));
    expect(asked()).toEqual({ closed: 'abc' });
  });
});
