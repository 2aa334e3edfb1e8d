import { z } from 'zod';

/** Data folder of a server that is told no other. */
export const DEFAULT_DATA_DIR = '.slipway';

/** File of the data folder by which the `slipway` command finds the server that runs there. */
export const COMMAND_ACCESS_FILE = 'command.json';

/** Where the server of a data folder answers, and a token that signs in there. */
export const commandAccess = z.strictObject({ url: z.url(), token: z.string().min(1) });
export type CommandAccess = z.infer<typeof commandAccess>;
