import { act, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TEMPLATES } from '@/components/editor/templates';
import { useDraft } from '@/components/editor/use-draft';
import { draftKey, keepDraft, readDraft } from '@/components/ui/editor/draft-store';
import { checkApplicationText } from '@/server/commands/editor/check-application-text';

const KEY = draftKey('ann', { ns: 'shop', name: 'web' });
const BASE = { text: 'a: 1', seen: { uid: 'u', generation: 1 } };

function Writer({ base = BASE }: { readonly base?: typeof BASE }) {
  const [text, setText] = useState(base.text);
  const draft = useDraft({ key: KEY, base, text, onRestore: (kept) => setText(kept.text) });
  return (
    <>
      <textarea aria-label="text" value={text} onChange={(event) => setText(event.target.value)} />
      <output>{draft.restoredAt === null ? 'fresh' : 'restored'}</output>
      <output>{draft.isKept ? 'kept' : 'lost'}</output>
      <button type="button" onClick={draft.drop}>
        Drop
      </button>
    </>
  );
}

const write = async (text: string) => {
  const { fireEvent } = await import('@testing-library/react');
  fireEvent.change(screen.getByLabelText('text'), { target: { value: text } });
};

describe('what is written and not applied', () => {
  beforeEach(() => {
    localStorage.clear();
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  it('[issue 14.3] is there again for whoever opens the editor again, on the state it was written on', async () => {
    const { unmount } = render(<Writer />);
    await write('a: 2');
    act(() => vi.advanceTimersByTime(500));
    expect(readDraft(KEY)).toMatchObject({ text: 'a: 2', base: BASE });
    unmount();
    render(<Writer />);
    expect(screen.getByLabelText('text')).toHaveValue('a: 2');
    expect(screen.getByText('restored')).toBeInTheDocument();
  });

  it('[issue 14.3] is kept at once when the page is left before it could be', async () => {
    const { unmount } = render(<Writer />);
    await write('a: 3');
    unmount();
    expect(readDraft(KEY)?.text).toBe('a: 3');
  });

  it('[issue 14.3] is forgotten when it is dropped, when it is undone, and when the application says the same by now', async () => {
    const first = render(<Writer />);
    await write('a: 2');
    act(() => vi.advanceTimersByTime(500));
    act(() => screen.getByRole('button').click());
    first.unmount();
    expect(readDraft(KEY)).toBeNull();
    const second = render(<Writer />);
    await write('a: 2');
    act(() => vi.advanceTimersByTime(500));
    await write('a: 1');
    act(() => vi.advanceTimersByTime(500));
    expect(readDraft(KEY)).toBeNull();
    second.unmount();
    keepDraft(KEY, { text: 'a: 9', base: BASE, at: '2026-01-01T00:00:00Z' });
    render(<Writer base={{ text: 'a: 9', seen: { uid: 'u', generation: 2 } }} />);
    expect(screen.getByText('fresh')).toBeInTheDocument();
    expect(readDraft(KEY)).toBeNull();
  });

  it('[issue 14.3] is said to be kept nowhere by a browser that keeps nothing', async () => {
    vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw new Error('the quota is used up');
    });
    render(<Writer />);
    await write('a: 2');
    act(() => vi.advanceTimersByTime(500));
    expect(screen.getByText('lost')).toBeInTheDocument();
  });

  it.each(['', 'null', '{}', '{"text":1}', '[]', '{"text":"a","base":{"text":"b","seen":{"uid":1}},"at":"x"}'])(
    '[issue 14.3] is none where the browser holds %j under its name',
    (held) => {
      localStorage.setItem(KEY, held);
      expect(readDraft(KEY)).toBeNull();
    },
  );

  it('[issue 14.3] is of one person and one application', () => {
    const keys = [
      draftKey('ann', null),
      draftKey('ann', { ns: 'shop', name: 'web' }),
      draftKey('bob', { ns: 'shop', name: 'web' }),
      draftKey('ann/shop', { ns: 'web', name: 'x' }),
      draftKey('ann', { ns: 'shop', name: 'web' }).replace('web', 'api'),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });
});

describe('what a new application may start from', () => {
  it.each(TEMPLATES.map(({ label, text }) => [label, text]))('[issue 14.3] can be applied as it is: %s', (_label, text) => {
    expect(checkApplicationText(text)).toEqual([]);
  });
});
