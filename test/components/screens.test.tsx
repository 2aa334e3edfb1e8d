import { render, screen, waitFor } from '@testing-library/react';
import axe from 'axe-core';
import type { ReactElement } from 'react';
import { describe, expect, it } from 'vitest';
import ErrorInConsole from '@/app/(console)/error';
import Loading from '@/app/(console)/loading';
import { NothingHere } from '@/app/(console)/nothing-here';
import { ActivityScreen } from '@/components/activity/activity-screen';
import { ApplicationsScreen } from '@/components/applications/applications-screen';
import { HistoryScreen } from '@/components/history/history-screen';
import { WeeksPanel } from '@/components/history/weeks-panel';
import { InboxScreen } from '@/components/inbox/inbox-screen';
import { FluxSourcesScreen } from '@/components/releases/flux/flux-sources-screen';
import { RolloutsScreen } from '@/components/rollouts/rollouts-screen';
import { StraysScreen } from '@/components/trackers/strays-screen';
import { TrackersScreen } from '@/components/trackers/trackers-screen';
import { historyIn } from '@/test/support/fixture/history';
import type { ScreenOptions } from '@/test/support/screen';
import { answerFetch, showScreen } from '@/test/support/screen';
import { SCREEN_ANSWERS, SCREENS } from '@/test/support/screens';

// Colour is judged in a real browser: jsdom computes no styles.
const RULES = { 'color-contrast': { enabled: false }, region: { enabled: false } };

const isBusy = (element: HTMLElement) => element.getAttribute('aria-busy') === 'true';

/** Its headings and the way back from it once it is as expected; what is not seeded is answered as given, or in full. */
async function headOf(element: ReactElement, options: ScreenOptions, expected: () => unknown, answer?: Response | Promise<Response>) {
  using _log = answer === undefined ? answerFetch(SCREEN_ANSWERS) : answerFetch({}, async () => (await answer).clone());
  const { close } = await showScreen(element, options);
  await expected();
  const head = {
    headings: screen.getAllByRole('heading', { level: 1 }).map((heading) => heading.textContent),
    breadcrumbs: screen
      .queryAllByRole('navigation', { name: 'Breadcrumb' })
      .flatMap((breadcrumbs) => [...breadcrumbs.querySelectorAll('a')].map((link) => link.getAttribute('href'))),
  };
  close();
  return head;
}

describe('every screen', () => {
  it.each(SCREENS)('[design 9] %s has no accessibility violation', async (_name, element, options, text) => {
    using _log = answerFetch(SCREEN_ANSWERS);
    await showScreen(element, options);
    await waitFor(() => expect(screen.getAllByText(text).length).toBeGreaterThan(0));
    const { violations } = await axe.run(document.body, { rules: RULES });
    expect(violations.map((violation) => `${violation.id}: ${violation.nodes.map((node) => node.html).join(' ')}`)).toEqual([]);
  });

  it.each(SCREENS)(
    '[design 9] %s has one heading and the same way back before it is read, and when it cannot be read',
    async (_name, element, options, text) => {
      const whole = await headOf(element, options, async () => expect((await screen.findAllByText(text)).length).toBeGreaterThan(0));
      const reads = _name !== 'sign-in';
      const loading = await headOf(
        element,
        {},
        () => expect(screen.queryAllByRole('status').some(isBusy)).toBe(reads),
        new Promise(() => {}),
      );
      const failing = await headOf(
        element,
        {},
        () => waitFor(() => expect(screen.queryAllByRole('alert').length > 0).toBe(reads)),
        Response.json({ error: { code: 'unavailable', message: 'The API server at 10.0.0.1 refused the connection.' } }, { status: 503 }),
      );
      expect(whole.headings).toHaveLength(1);
      for (const { headings, breadcrumbs } of [loading, failing]) {
        expect(headings).toHaveLength(1);
        expect(whole.headings[0]?.startsWith(headings[0] ?? 'a heading')).toBe(true);
        expect(breadcrumbs).toEqual(whole.breadcrumbs);
      }
    },
  );

  it.each([
    ['on its way', <Loading key="s" />],
    ['that failed', <ErrorInConsole key="s" error={new Error('no')} reset={() => {}} />],
    ['that is not there', <NothingHere key="s" history="/activity" />],
  ])('[design 9] a page %s has one heading', (_name, element) => {
    render(element);
    expect(screen.getAllByRole('heading', { level: 1 })).toHaveLength(1);
  });

  it.each([
    ['inbox', <InboxScreen key="s" />, 'inbox', 'Nothing needs you'],
    ['applications', <ApplicationsScreen key="s" />, 'applications', 'No applications yet'],
    ['rollouts', <RolloutsScreen key="s" />, 'rollouts', 'No rollouts yet'],
    ['sources', <FluxSourcesScreen key="s" />, 'flux-sources', 'No sources'],
    ['trackers', <TrackersScreen key="s" />, 'trackers', 'No trackers yet'],
    ['strays', <StraysScreen key="s" />, 'strays', 'No strays'],
    ['activity', <ActivityScreen key="s" />, 'activity', 'Nothing recorded yet'],
  ])('[design 9] %s says what would be there when it is empty', async (_name, element, topic, title) => {
    using _log = answerFetch({});
    await showScreen(element, { scene: 'empty', topics: [topic] });
    expect(screen.getByText(title)).toBeInTheDocument();
  });

  it.each([
    ['applications', <ApplicationsScreen key="s" />, 'applications', 'applications', 'applications.core.oam.dev'],
    ['rollouts', <RolloutsScreen key="s" />, 'rollouts', 'rollouts', 'rolloutorchestrators.serving.knative.dev'],
    ['trackers', <TrackersScreen key="s" />, 'trackers', 'trackers', 'resourcetrackers.core.oam.dev'],
    ['activity', <ActivityScreen key="s" />, 'activity', 'entries', 'applications.core.oam.dev'],
  ])(
    '[issue 14] %s does not say that there is nothing to whoever may see some namespaces only',
    async (_name, element, topic, noun, right) => {
      using _log = answerFetch({});
      await showScreen(element, { scene: 'empty', topics: [topic], within: { count: 7, names: ['pay', 'shop'] } });
      expect(screen.getByText(`No ${noun} that you may see`)).toBeInTheDocument();
      expect(screen.getByText(/^You may see/)).toHaveTextContent(
        `You may see ${noun} only in 7 namespaces, such as pay and shop. Other namespaces require the right "list" on ${right}.`,
      );
      expect(screen.queryByText(/yet$/)).toBeNull();
    },
  );

  it('[issue 14] the inbox says so too, beside that nothing needs them', async () => {
    using _log = answerFetch({});
    await showScreen(<InboxScreen />, { scene: 'empty', topics: ['inbox'], within: { count: 1, names: ['shop'] } });
    expect(screen.getByText('Nothing needs you')).toBeInTheDocument();
    expect(screen.getByText(/^You may see/)).toHaveTextContent(
      'You may see applications only in namespace shop. Other namespaces require the right "list" on applications.core.oam.dev.',
    );
  });

  it.each([
    ['applications', <ApplicationsScreen key="s" />, 'applications', 'applications'],
    ['rollouts', <RolloutsScreen key="s" />, 'rollouts', 'rollouts'],
    ['trackers', <TrackersScreen key="s" />, 'trackers', 'trackers'],
    ['activity', <ActivityScreen key="s" />, 'activity', 'entries'],
  ])('[issue 14.3] %s say of which namespaces they are to whoever may see these only', async (_name, element, topic, noun) => {
    using _log = answerFetch({});
    const within = { count: 2, names: ['pay', 'shop'] };
    await showScreen(element, { topics: [topic], within });
    expect(screen.getByRole('note')).toHaveTextContent(`You may see ${noun} only in namespaces pay and shop. Other namespaces require`);
  });

  it('[issue 14.3] a list that is narrowed to nothing says where else there may be something, and one of namespaces that were named does not', async () => {
    using _log = answerFetch({});
    const within = { count: 1, names: ['shop'] };
    const show = (search: string) =>
      showScreen(<ApplicationsScreen />, { scene: 'empty', topics: [`applications?${search}`], within, search });
    const { close } = await show('q=nothing');
    expect(screen.getByText('No application matches')).toBeInTheDocument();
    expect(screen.getByRole('note')).toHaveTextContent('You may see applications only in namespace shop.');
    close();
    await show('ns=shop');
    expect(screen.queryByRole('note')).toBeNull();
  });

  it('[issue 14.3] the history of rollouts, and its weeks in the inbox, say of which namespaces they are', async () => {
    const within = { count: 1, names: ['shop'] };
    using _log = answerFetch({ 'GET /api/v1/rollouts/history': () => Response.json({ ...historyIn('full', {}), within }) });
    const { close } = await showScreen(<HistoryScreen />);
    expect(await screen.findByRole('note')).toHaveTextContent('You may see rollouts only in namespace shop.');
    close();
    await showScreen(<WeeksPanel />);
    expect(await screen.findByText('from the record, in namespace shop')).toBeInTheDocument();
  });

  it('[issue 14.3] the inbox says of which namespaces its counts are', async () => {
    using _log = answerFetch({});
    await showScreen(<InboxScreen />, { topics: ['inbox'], within: { count: 7, names: ['pay', 'shop'] } });
    expect(screen.getByText(/waiting.*applications?, in 7 namespaces, such as pay and shop$/)).toBeInTheDocument();
  });

  it('[design 9] applications show one page of thousands and say how many there are', async () => {
    using _log = answerFetch({});
    await showScreen(<ApplicationsScreen />, { scene: 'many', topics: ['applications'] });
    expect(screen.getByText('1–50 of 3,000 applications')).toBeInTheDocument();
    expect(screen.getAllByRole('row')).toHaveLength(51);
  });
});
