import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { ApplicationScreen } from '@/components/applications/application-screen';
import { ApplicationsScreen } from '@/components/applications/applications-screen';
import { PreviewScreen } from '@/components/applications/changes/preview-screen';
import { applicationOfText } from '@/components/editor/application-of-text';
import { EditorScreen, NewApplicationScreen } from '@/components/editor/editor-screen';
import { liveKey } from '@/components/live/live-query';
import type { ApplicationDetail } from '@/lib/contract/application-rows';
import type { WindowSnapshot } from '@/lib/contract/live';
import { applicationSchema } from '@/server/commands';
import { APPLICATION, waiting } from '@/test/support/fixture/changes';
import { objectDrift } from '@/test/support/fixture/drift';
import { applicationRightsIn, createRightsIn } from '@/test/support/fixture/rights';
import type { Scene } from '@/test/support/fixture/scene';
import { backFrom } from '@/test/support/fixture/times';
import type { Screen } from '@/test/support/screen';
import { answerFetch, showScreen } from '@/test/support/screen';

const TOPIC = 'application/shop/storefront';
const PLACE = { ns: 'shop', name: 'storefront' };
const PATH = '/api/v1/namespaces/shop/applications/storefront';
const UPDATE = /^operator may not do this: it requires the right "update" on applications\.core\.oam\.dev storefront in namespace shop$/;

const answersIn = (scene: Scene) => ({
  [`GET ${PATH}/rights`]: () => Response.json(applicationRightsIn(scene, PLACE)),
  'GET /api/v1/namespaces/default/applications/example/rights': () =>
    Response.json(applicationRightsIn(scene, { ns: 'default', name: 'example' })),
  'GET /api/v1/applications/rights': () => Response.json(createRightsIn(scene)),
  [`GET ${PATH}/drift`]: () => Response.json(objectDrift(backFrom(Date.now()))),
  [`GET ${PATH}/preview`]: () => Response.json(waiting(scene, new URLSearchParams())),
  [`GET ${PATH}/text`]: () => Response.json({ text: APPLICATION, masked: false, uid: 'aa0f7a52', generation: 4 }),
  'GET /api/v1/schemas/application': () => Response.json(applicationSchema()),
  'POST /api/v1/applications/check': () => Response.json({ problems: [] }),
});

/** A safety rule holds a deletion of the application that is shown. */
async function hold({ queries, rows }: Screen): Promise<void> {
  const window = (await rows.snapshot(TOPIC)) as WindowSnapshot<ApplicationDetail>;
  const held = { type: 'Collected', status: 'False', reason: 'Held', message: 'Two objects hold data.', state: 'none', at: null };
  queries.setQueryData(liveKey(TOPIC), { ...window, rows: window.rows.map((row) => ({ ...row, conditions: [...row.conditions, held] })) });
}

/** Says why by keyboard, opens nothing and sends nothing. */
async function expectBlocked(name: string | RegExp, sentence: RegExp): Promise<void> {
  await screen.findByRole('button', { name });
  await waitFor(() => expect(screen.getByRole('button', { name })).toHaveAttribute('aria-disabled', 'true'));
  const button = screen.getByRole('button', { name });
  expect(button).toHaveAccessibleDescription(sentence);
  button.focus();
  expect(button).toHaveFocus();
  await userEvent.keyboard('{Enter}');
  expect(screen.queryByRole('dialog')).toBeNull();
}

describe('a right', () => {
  it('[design 8] that is missing is named on the page of an application, at every action', async () => {
    using log = answerFetch(answersIn('no-rights'));
    await hold(await showScreen(<ApplicationScreen {...PLACE} />, { scene: 'no-rights', rights: 'asked', topics: [TOPIC] }));
    await expectBlocked('Edit', UPDATE);
    await expectBlocked(/^Change ?web$/, UPDATE);
    await expectBlocked('Delete exactly these', /"create" on stagedecisions\.slipway\.dev in namespace shop/);
    await userEvent.click(screen.getByRole('button', { name: 'Deployment web-v4', expanded: false }));
    await expectBlocked('Revert now', UPDATE);
    expect(log.sent.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  it('[design 8] that is missing is named beside a plan of deletions', async () => {
    using _log = answerFetch(answersIn('no-rights'));
    await hold(await showScreen(<PreviewScreen {...PLACE} />, { scene: 'no-rights', rights: 'asked', topics: [TOPIC] }));
    await expectBlocked('Delete exactly these', /"create" on stagedecisions\.slipway\.dev in namespace shop/);
  });

  it('[design 8] that is missing is named in the editor, for trying and for applying', async () => {
    using log = answerFetch(answersIn('no-rights'));
    await showScreen(<EditorScreen {...PLACE} user="ann" />, { scene: 'no-rights', rights: 'asked', topics: [TOPIC] });
    await expectBlocked('Preview', UPDATE);
    await expectBlocked('Apply', UPDATE);
    expect(log.sent.filter(({ method, url }) => method === 'POST' && url === '/api/v1/applications')).toEqual([]);
  });

  it('[design 8] that is missing is named in the list and beside a new text', async () => {
    using _log = answerFetch(answersIn('no-rights'));
    await showScreen(<ApplicationsScreen />, { scene: 'no-rights', rights: 'asked', topics: ['applications'] });
    await expectBlocked('New application', /"create" on applications\.core\.oam\.dev in all namespaces or in any one$/);
    await showScreen(<NewApplicationScreen user="ann" />, { scene: 'no-rights', rights: 'asked' });
    await expectBlocked('Preview', /"create" on applications\.core\.oam\.dev in all namespaces or in any one$/);
  });

  it('[issue 14.3] that is missing is said before a new text is begun, with the commands that grant it', async () => {
    using log = answerFetch(answersIn('no-rights'));
    await showScreen(<NewApplicationScreen user="ann" />, { scene: 'no-rights', topics: ['applications'] });
    const [command = ''] = createRightsIn('no-rights').grant;
    expect(screen.getByRole('alert')).toHaveTextContent(/"create" on applications\.core\.oam\.dev in all namespaces or in any one\./);
    expect(screen.getByRole('alert')).toHaveTextContent(command);
    expect(screen.queryByRole('textbox')).toBeNull();
    expect(screen.queryByRole('button', { name: 'Preview' })).toBeNull();
    expect(log.sent.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  it("[design 8] that is not known is in nobody's way: the server decides", async () => {
    using log = answerFetch({});
    await showScreen(<ApplicationsScreen />, { topics: ['applications'], rights: 'asked' });
    await waitFor(() => expect(log.sent.map(({ url }) => url)).toContain('/api/v1/applications/rights'));
    expect(await screen.findByRole('link', { name: 'New application' })).toHaveAttribute('href', '/applications/new');
  });

  it('[issue 9] that is being checked holds every action in its place, and sends nothing', async () => {
    using log = answerFetch({ ...answersIn('full'), [`GET ${PATH}/rights`]: () => new Promise(() => {}) });
    await hold(await showScreen(<ApplicationScreen {...PLACE} />, { topics: [TOPIC], rights: 'asked' }));
    for (const name of ['Edit', /^Change ?web$/, 'Delete exactly these']) await expectBlocked(name, /^Checking your permissions\.$/);
    expect(log.sent.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  it("[design 8] that is held is in nobody's way", async () => {
    using log = answerFetch(answersIn('full'));
    await hold(await showScreen(<ApplicationScreen {...PLACE} />, { topics: [TOPIC], rights: 'asked' }));
    await waitFor(() => expect(log.sent.map(({ url }) => url)).toContain(`${PATH}/rights`));
    expect(await screen.findByRole('link', { name: 'Edit' })).toHaveAttribute('href', '/applications/shop/storefront/edit');
    const held = screen.getByRole('region', { name: 'A deletion waits for a decision' });
    await userEvent.click(await within(held).findByRole('button', { name: 'Delete exactly these' }));
    expect(screen.getByRole('dialog')).toBeInTheDocument();
  });
});

describe('the application a text is about', () => {
  it.each([
    ['apiVersion: v1\nmetadata:\n  name: web\n  namespace: shop\n', { ns: 'shop', name: 'web' }],
    ['metadata:\n  namespace: "shop" # ours\n  name: web\nspec:\n  name: other\n', { ns: 'shop', name: 'web' }],
    ['metadata:\n  name: web\n', null],
    ['metadata:\n  name: Not a name\n  namespace: shop\n', null],
    ['', null],
  ])('[design 8] of %j is %j', (text, place) => {
    expect(applicationOfText(text)).toEqual(place);
  });
});
