import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { EventsPanel } from '@/components/objects/events-panel';
import { answerFetch, showScreen } from '@/test/support/screen';

const at = { group: 'apps', named: 'deployments', ns: 'shop', name: 'web' } as const;
const path = 'GET /api/v1/kinds/apps/deployments/events';
const ABOUT = { apiVersion: 'apps/v1', kind: 'Deployment', ns: 'shop', name: 'web' };
const chosen = () => new URLSearchParams(globalThis.location.search).get('events');
const TOLD = { events: [], cut: 0, left: ['Events in pay may not be read.'], at: '2026-11-20T09:30:00Z' };

afterEach(() => void vi.useRealTimers());

it('[issue 14.1] that nobody answers is said in our words, and only before anything was told', async () => {
  using _log = answerFetch({ [path]: () => Promise.reject(new TypeError('Failed to fetch')) });
  await showScreen(<EventsPanel at={at} kind="Deployment" />);
  expect(await screen.findByRole('alert')).toHaveTextContent(/^The server does not answer\./);
});

it('[issue 14.1] what was told stays while the stream is away, marked as not live, without an error of its own', async () => {
  let asked = 0;
  const event = {
    key: 'a',
    since: TOLD.at,
    at: TOLD.at,
    message: 'm',
    count: 1,
    series: false,
    by: '',
    about: ABOUT,
    type: 'Normal',
    reason: 'Pulled',
  };
  const stream = `event: events\ndata: ${JSON.stringify({ ...TOLD, events: [event] })}\n\n`;
  using _log = answerFetch({ [path]: () => (asked++ === 0 ? new Response(stream) : Promise.reject(new TypeError('Failed to fetch'))) });
  vi.useFakeTimers({ shouldAdvanceTime: true });
  await showScreen(<EventsPanel at={at} kind="Deployment" />);
  await screen.findByText('Events in pay may not be read.');
  await vi.advanceTimersByTimeAsync(2500);
  await waitFor(() => expect(asked).toBe(2));
  expect(screen.getByText(/not live now/)).toBeInTheDocument();
  expect(screen.queryByRole('alert')).toBeNull();
});

it('[issue 14.1] says of events that may not be read that they may not, and not that there are none', async () => {
  using _log = answerFetch({ [path]: () => new Response(`event: events\ndata: ${JSON.stringify(TOLD)}\n\n`) });
  const { close } = await showScreen(<EventsPanel at={at} kind="Deployment" />);
  await screen.findByText('Events in pay may not be read.');
  expect(screen.queryByText('No events')).toBeNull();
  expect(screen.queryByText(/^0, /)).toBeNull();
  close();
  using _none = answerFetch({ [path]: () => new Response(`event: events\ndata: ${JSON.stringify({ ...TOLD, left: [] })}\n\n`) });
  await showScreen(<EventsPanel at={at} kind="Deployment" />);
  expect(await screen.findByText('No events')).toBeInTheDocument();
});

it('[issue 14.3] shows warnings alone where the address says so, and writes there what is chosen', async () => {
  const event = { since: TOLD.at, at: TOLD.at, message: 'm', count: 1, series: false, by: '', about: ABOUT };
  const events = [
    { ...event, key: 'a', type: 'Warning', reason: 'BackOff' },
    { ...event, key: 'b', type: 'Normal', reason: 'Pulled' },
  ];
  const stream = `event: events\ndata: ${JSON.stringify({ ...TOLD, events })}\n\n`;
  using _log = answerFetch({ [path]: () => new Response(stream) });
  await showScreen(<EventsPanel at={at} kind="Deployment" />, { path: '/objects/apps/deployments/shop/web', search: 'events=warnings' });
  await screen.findByText('BackOff');
  expect(screen.queryByText('Pulled')).toBeNull();
  await userEvent.click(screen.getByRole('checkbox', { name: 'Warnings only' }));
  expect(await screen.findByText('Pulled')).toBeInTheDocument();
  await waitFor(() => expect(chosen()).toBeNull());
  await userEvent.click(screen.getByRole('checkbox', { name: 'Warnings only' }));
  await waitFor(() => expect(chosen()).toBe('warnings'));
});

it('[issue 14.3] an event that names what it is about is one stop of the keyboard; one that does not has its time as such', async () => {
  const event = { since: TOLD.at, at: TOLD.at, message: 'm', count: 1, series: false, by: '', type: 'Normal' };
  const events = [
    { ...event, key: 'a', reason: 'Killing', about: { apiVersion: 'v1', kind: 'Pod', ns: 'shop', name: 'web-1' } },
    { ...event, key: 'b', reason: 'Scaled', about: ABOUT },
  ];
  const stream = `event: events\ndata: ${JSON.stringify({ ...TOLD, events })}\n\n`;
  using _log = answerFetch({ [path]: () => new Response(stream) });
  await showScreen(<EventsPanel at={at} kind="Deployment" />);
  await screen.findByText('Killing');
  const stops = screen
    .getAllByRole('listitem')
    .map((line) => [...line.querySelectorAll('a, [tabindex]')].map(({ tagName }) => tagName.toLowerCase()));
  expect(stops).toEqual([['a'], ['time']]);
});
