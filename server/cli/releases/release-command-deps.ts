import type { Command } from 'commander';
import type { Client } from '../client';

/** How often and how long an answer is waited for. */
export const LOOK_EVERY_MS = 500;
export const MOST_LOOKS = 120;

export interface ReleaseCommandDeps<Options> {
  readonly print: (text: string) => void;
  readonly fail: (code?: number) => void;
  /** Adds the options that say which server is meant. */
  readonly withServer: (command: Command) => Command;
  readonly connect: (options: Options) => Promise<Client>;
}

/** What a person may say of an act. */
export interface Reasoned {
  readonly reason?: string;
}
