import { UNSEEN } from '@/lib/std/text/hidden-characters';
import type { SessionRow } from '@/server/store';

/** Where a session begins: whether a command asks rather than a browser, from which address, and what the client calls itself. */
export interface SessionOrigin {
  readonly isCommand: boolean;
  readonly address?: string | undefined;
  readonly agent?: string | undefined;
}

const LONGEST_ADDRESS = 64;
const LONGEST_AGENT = 256;

/** An origin as it is kept. What a client says of itself may be anything: it is cut, and loses the invisible characters. */
export function cutOrigin({ isCommand, address, agent }: SessionOrigin): Pick<SessionRow, 'isCommand' | 'address' | 'agent'> {
  return { isCommand, address: cut(address, LONGEST_ADDRESS), agent: cut(agent, LONGEST_AGENT) };
}

function cut(text: string | undefined, longest: number): string | null {
  const seen = text?.replace(UNSEEN, '').trim().slice(0, longest) ?? '';
  return seen === '' ? null : seen;
}
