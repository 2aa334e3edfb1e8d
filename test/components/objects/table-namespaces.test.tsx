import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { TableScreen } from '@/components/objects/table-screen';
import type { ObjectTable } from '@/lib/contract/object-rows';
import { POD_TABLE } from '@/test/support/fixture/objects';
import { answerFetch, showScreen } from '@/test/support/screen';

Element.prototype.scrollIntoView ??= () => {};
Element.prototype.hasPointerCapture ??= () => false;

const row = (ns: string, name: string): ObjectTable['rows'][number] => ({
  key: `${ns}/${name}`,
  ns,
  name,
  uid: `${ns}-${name}`,
  createdAt: null,
  owner: null,
  deleting: false,
  cells: [name, '1/1', 'Running', '0', '5m'],
});

/** Pods of two namespaces, of which the second has a second page, and one namespace that may not be read. */
function answerPods() {
  const log = answerFetch({
    'GET /api/v1/kinds/core/pods/table': () => {
      const asked = new URL(log.sent.at(-1)?.url ?? '', 'http://localhost').searchParams;
      const [ns, next] = [asked.get('ns'), asked.get('next')];
      if (ns === 'secret') {
        return Response.json({ error: { code: 'forbidden', message: 'requires the right "list" on pods in secret' } }, { status: 403 });
      }
      const more = ns === 'shop' && next === null ? { next: 'token', remaining: 1 } : { next: null, remaining: null };
      return Response.json({ ...POD_TABLE, ...more, rows: [row(ns ?? 'all', next === null ? 'first' : 'second')] });
    },
  });
  return log;
}

const asked = (log: ReturnType<typeof answerFetch>) =>
  log.sent.map(({ url }) => [...new URL(url, 'http://localhost').searchParams].map((pair) => pair.join('=')).join('&'));
const places = () =>
  within(screen.getByRole('table', { name: 'Pod' }))
    .getAllByRole('row')
    .slice(1)
    .map((line) =>
      within(line)
        .getAllByRole('cell')
        .map((cell) => cell.textContent)
        .find((text) => /^(shop|pay|all)$/.test(text ?? '')),
    );

describe('objects of a kind in several namespaces', () => {
  it('[issue 14.3] are asked for by namespace, as the address has them, and shown in one table', async () => {
    using log = answerPods();
    await showScreen(<TableScreen group="" named="pods" />, { search: 'ns=shop&ns=pay' });
    await screen.findByRole('table', { name: 'Pod' });
    expect(asked(log)).toEqual(['ns=pay', 'ns=shop']);
    expect(places()).toEqual(['pay', 'shop']);
    expect(screen.getByText('1–2 of 3 pods')).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Remove filter Namespace: pay' })).toBeInTheDocument();
  });

  it('[issue 14.3] are turned by page where one of them has more, and back', async () => {
    using log = answerPods();
    const user = userEvent.setup();
    await showScreen(<TableScreen group="" named="pods" />, { search: 'ns=shop&ns=pay' });
    await user.click(await screen.findByRole('button', { name: 'Next page' }));
    await screen.findAllByText('second');
    expect(asked(log).at(-1)).toBe('ns=shop&next=token');
    expect(places()).toEqual(['shop']);
    expect(screen.getByText('3 of 3 pods')).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Previous page' }));
    await waitFor(() => expect(places()).toEqual(['pay', 'shop']));
  });

  it('[issue 14.3] are shown where they may be read, and told where not', async () => {
    using _log = answerPods();
    const { close } = await showScreen(<TableScreen group="" named="pods" />, { search: 'ns=secret&ns=shop' });
    expect(
      await screen.findByText('The pods in secret could not be read: Requires the right "list" on pods in secret.'),
    ).toBeInTheDocument();
    expect(places()).toEqual(['shop']);
    close();
    await showScreen(<TableScreen group="" named="pods" />, { search: 'ns=secret' });
    expect(await screen.findByRole('alert')).toHaveTextContent('equires the right "list" on pods in secret');
    for (const name of ['Restart', 'Scale', 'Delete'])
      expect(screen.getByRole('button', { name })).toHaveAccessibleDescription('Requires the right "list" on pods in secret.');
  });

  it('[issue 14.3] are not read of more than ten, which is said', async () => {
    using log = answerPods();
    const many = Array.from({ length: 12 }, (_, at) => `ns-${String(at).padStart(2, '0')}`);
    await showScreen(<TableScreen group="" named="pods" />, { search: many.map((ns) => `ns=${ns}`).join('&') });
    expect(
      await screen.findByText('At most 10 namespaces are read at once. Not shown: namespaces ns-10, ns-11. Choose fewer, or all.'),
    ).toBeInTheDocument();
    expect(log.sent).toHaveLength(10);
  });

  it('[issue 14.3] are all of them without a choice, which is made in a menu and stands in the address', async () => {
    using log = answerPods();
    const user = userEvent.setup();
    globalThis.history.replaceState(null, '', '/objects/core/pods');
    await showScreen(<TableScreen group="" named="pods" />, {});
    await screen.findByRole('table', { name: 'Pod' });
    expect(asked(log)).toEqual(['']);
    await user.click(screen.getByRole('button', { name: /^Namespace: / }));
    await user.click(await screen.findByRole('menuitemcheckbox', { name: 'shop' }));
    await waitFor(() => expect(globalThis.location.search).toBe('?ns=shop'));
  });

  it('[issue 14.3] are asked for by owner, of which those of the page can be chosen', async () => {
    using log = answerFetch({ 'GET /api/v1/kinds/core/pods/table': () => Response.json(POD_TABLE) });
    const user = userEvent.setup();
    globalThis.history.replaceState(null, '', '/objects/core/pods?owner=none');
    await showScreen(<TableScreen group="" named="pods" />, { search: 'owner=none' });
    await screen.findByRole('table', { name: 'Pod' });
    expect(asked(log)).toEqual(['owner=none']);
    expect(screen.getByRole('button', { name: 'Remove filter Owner: No owner' })).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Owner: No owner' }));
    await user.click(await screen.findByRole('menuitemcheckbox', { name: 'ReplicaSet shop/web (2)' }));
    await waitFor(() => expect(new URLSearchParams(globalThis.location.search).get('owner')).toBe('none,ReplicaSet/shop/web'));
  });

  it('[issue 14.3] are offered once it is known that objects of the kind live in some, and at once where the address names one', async () => {
    let answer = () => {};
    const read = new Promise<void>((resolve) => {
      answer = resolve;
    });
    using _log = answerFetch({ 'GET /api/v1/kinds/core/pods/table': () => read.then(() => Response.json(POD_TABLE)) });
    const isOffered = () => screen.getByRole('button', { name: /^Namespace: / }).closest('[inert]') === null;
    const { close } = await showScreen(<TableScreen group="" named="pods" />);
    expect(isOffered()).toBe(false);
    answer();
    await screen.findByRole('table', { name: 'Pod' });
    expect(isOffered()).toBe(true);
    close();
    await showScreen(<TableScreen group="" named="pods" />, { search: 'ns=shop' });
    expect(isOffered()).toBe(true);
  });

  it('[issue 14.3] are not to be chosen for a kind of the whole cluster, not even where that may not be read', async () => {
    const node = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false, shortNames: [] };
    using _log = answerFetch({
      'GET /api/v1/kinds': () => Response.json({ kinds: [], refused: [node], incomplete: false }),
      'GET /api/v1/kinds/core/nodes/table': () =>
        Response.json({ error: { code: 'forbidden', message: 'requires the right "list" on nodes' } }, { status: 403 }),
    });
    await showScreen(<TableScreen group="" named="nodes" />);
    await screen.findByText('Access denied');
    await waitFor(() => expect(screen.queryByRole('button', { name: /Namespace/ })).toBeNull());
    expect(screen.getByRole('button', { name: /Owner/ })).toBeInTheDocument();
  });
});
