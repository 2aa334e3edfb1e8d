import type { Command } from 'commander';
import type { Client } from '../client';

/** What a command needs that asks a server and may fail. */
export interface ServerCommandDeps<Options> {
  readonly print: (text: string) => void;
  /** Tells beside what is printed. */
  readonly warn: (text: string) => void;
  readonly fail: (code?: number) => void;
  /** Adds the options that say which server is meant. */
  readonly withServer: (command: Command) => Command;
  readonly connect: (options: Options) => Promise<Client>;
}
