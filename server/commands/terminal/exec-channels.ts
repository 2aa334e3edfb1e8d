import { readString } from '@/lib/kube/fields';

/** What is spoken with a container: each message begins with the number of its channel. */
export const EXEC_PROTOCOL = 'v5.channel.k8s.io';

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const ERROR = 3;
const RESIZE = 4;

/** What a message of the container is: output, or how the command ended. */
export type ExecMessage =
  | { readonly kind: 'output'; readonly bytes: Uint8Array }
  | { readonly kind: 'ended'; readonly sentence: string }
  | undefined;

/** Reads one message. */
export function readExecMessage(message: Uint8Array): ExecMessage {
  const channel = message[0];
  const bytes = message.subarray(1);
  if (channel === STDOUT || channel === STDERR) return bytes.length === 0 ? undefined : { kind: 'output', bytes };
  return channel === ERROR ? { kind: 'ended', sentence: formatEnd(Buffer.from(bytes).toString()) } : undefined;
}

/** What is typed, as a message. */
export function toInput(text: string): Uint8Array {
  return Buffer.concat([Buffer.from([STDIN]), Buffer.from(text)]);
}

/** The size of the window, as a message. */
export function toResize({ columns, rows }: { readonly columns: number; readonly rows: number }): Uint8Array {
  return Buffer.concat([Buffer.from([RESIZE]), Buffer.from(JSON.stringify({ Width: columns, Height: rows }))]);
}

/** The Status by which the API server tells how a command ended. */
function formatEnd(text: string): string {
  try {
    const status: unknown = JSON.parse(text);
    if (readString(status, 'status') === 'Success') return 'the shell ended';
    const { details } = status as {
      readonly details?: { readonly causes?: readonly { readonly reason?: string; readonly message?: string }[] };
    };
    const code = details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message;
    return code === undefined ? (readString(status, 'message') ?? 'the shell ended') : `the shell ended with exit code ${code}`;
  } catch {
    return text.slice(0, 400);
  }
}
