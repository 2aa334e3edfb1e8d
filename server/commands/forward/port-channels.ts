/** What is spoken with a port of a pod: each message begins with the number of its channel. */
export const FORWARD_PROTOCOL = 'v4.channel.k8s.io';

const DATA = 0;
const ERROR = 1;
/** Either channel begins with the number of the port, in two bytes. */
const PORT_BYTES = 2;

/** What a message of a port is: what came from it, or what is wrong with it. */
export type PortMessage =
  | { readonly kind: 'data'; readonly bytes: Uint8Array }
  | { readonly kind: 'wrong'; readonly sentence: string }
  | undefined;

/** Reads the messages of one connection, in their order. */
export class PortReader {
  readonly #skip = new Map([
    [DATA, PORT_BYTES],
    [ERROR, PORT_BYTES],
  ]);

  read(message: Uint8Array): PortMessage {
    const channel = message[0] ?? -1;
    const skip = Math.min(this.#skip.get(channel) ?? 0, message.length - 1);
    this.#skip.set(channel, (this.#skip.get(channel) ?? 0) - skip);
    const bytes = message.subarray(1 + skip);
    if (bytes.length === 0) return undefined;
    if (channel === DATA) return { kind: 'data', bytes };
    return channel === ERROR ? { kind: 'wrong', sentence: Buffer.from(bytes).toString().trim().slice(0, 400) } : undefined;
  }
}

/** What goes to the port, as a message. */
export function toPort(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from([DATA]), bytes]);
}
