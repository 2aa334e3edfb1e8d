import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { answerFetch, showScreen } from '@/test/support/screen';
import { SCREEN_ANSWERS, SCREENS } from '@/test/support/screens';

const MOMENT = '2026-11-20T09:15:00Z';
const RAW = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/;
const RAW_IN_UTC = /\b09:15/;

/** Fields with words that are no sentences: labels, and who or what something is of. */
const LABELS = ['title', 'summary', 'subject', 'by', 'url'];

/** Every sentence of the server with a moment in it. What has no two words is no sentence: names, digests, moments. */
const withMoment = (text: string, field: string) =>
  !LABELS.includes(field) && /^[^\n{}]*[a-z] [a-z]+ [^\n{}]*$/.test(text) ? `${text.replace(/\.$/, '')} since ${MOMENT}` : text;

/** What people read or are read: text but for manifests, and the attributes that are words. */
function said(): string[] {
  const texts: string[] = [];
  for (const element of document.body.querySelectorAll('*')) {
    if (element.closest('pre, code, .cm-editor, script, style') !== null) continue;
    const own = [...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE).map(({ textContent }) => textContent ?? '');
    texts.push(...own, ...['title', 'aria-label', 'placeholder'].map((name) => element.getAttribute(name) ?? ''));
  }
  return texts.filter((text) => text !== '');
}

describe('one clock', () => {
  it.each(SCREENS)(
    '[design 14] %s says each moment in the zone of the page, wherever a sentence of the server stands',
    async (_name, element, options) => {
      using _log = answerFetch(SCREEN_ANSWERS);
      await showScreen(element, { ...options, zone: 'Asia/Kolkata', spoken: withMoment });
      await waitFor(() => expect(screen.getAllByRole('heading').length).toBeGreaterThan(0));
      expect(said().filter((text) => RAW.test(text) || RAW_IN_UTC.test(text))).toEqual([]);
    },
  );

  it('[design 14] such sentences are on the screens that this looks at', async () => {
    using _log = answerFetch(SCREEN_ANSWERS);
    const [, element, options] = SCREENS.find(([name]) => name === 'rollout') ?? SCREENS[0] ?? [];
    if (element === undefined) throw new Error('there is no screen');
    await showScreen(element, { ...options, zone: 'Asia/Kolkata', spoken: withMoment });
    expect(document.querySelectorAll(`time[datetime="${MOMENT}"]`).length).toBeGreaterThan(5);
  });
});
