import { z } from 'zod';
import { objectPath } from './requests';
import { MAX_INPUT } from './streams/terminal-input';

/** Terminals of a person at once, over all tabs. */
export const MAX_TERMINALS = 10;
/** Nothing typed for so long ends one. */
export const TERMINAL_IDLE_MS = 15 * 60_000;

export const terminalSize = z.object({ columns: z.number().int().min(2).max(1000), rows: z.number().int().min(1).max(500) });
export type TerminalSize = z.infer<typeof terminalSize>;

/** Which container a terminal is opened in, and how large its window is. */
export const terminalRequest = terminalSize.extend({
  ns: objectPath.shape.ns,
  pod: objectPath.shape.name,
  container: objectPath.shape.name.optional(),
});
export type TerminalRequest = z.infer<typeof terminalRequest>;

/** What is typed into a terminal. */
export const terminalInput = z.string().max(MAX_INPUT);

export type TerminalAnswer =
  | { readonly kind: 'opened'; readonly id: number; readonly container: string }
  /** With the commands by which somebody would be granted it, where a right is missing. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string; readonly grant?: readonly string[] };
