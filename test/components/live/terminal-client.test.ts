import { expect, it, vi } from 'vitest';
import { createTerminalClient } from '@/components/live/terminal-client';
import type { TerminalAnswer } from '@/lib/contract/terminal';

type Sent = readonly [event: string, asked: unknown, take: (answer: TerminalAnswer) => void];

it('[issue 14.3] a terminal that is refused ends with why, and with the commands that grant what is missing', () => {
  const sent: Sent[] = [];
  const socket = { on: vi.fn(), emit: (...all: Sent) => void sent.push(all) };
  const view = { write: vi.fn(), onOpen: vi.fn(), onEnd: vi.fn() };
  createTerminalClient(socket as never).open({ ns: 'shop', pod: 'web', columns: 80, rows: 24 }, view);
  sent[0]?.[2]({ kind: 'refused', code: 'forbidden', message: 'ada may not do this', grant: ['kubectl create role x'] });
  expect(view.onEnd).toHaveBeenCalledExactlyOnceWith('ada may not do this', 'forbidden', ['kubectl create role x']);
  expect(view.onOpen).not.toHaveBeenCalled();
});
