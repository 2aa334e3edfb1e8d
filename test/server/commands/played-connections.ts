import { Channel } from '@/lib/std/channel';
import type { Connected, Person } from '@/server/kube';
import type { ConnectRequest } from '@/server/kube/cluster';

/** A connection into a pod, whose other side the test plays. */
export interface PlayedConnection {
  readonly request: ConnectRequest;
  readonly person: Person | undefined;
  readonly sent: Buffer[];
  readonly messages: Channel<Uint8Array>;
  closed: boolean;
}

/** Connections as they are asked for; each holds so many messages that nobody has taken. */
export function playConnections(capacity: number) {
  const connections: PlayedConnection[] = [];
  return {
    connections,
    async connect(request: ConnectRequest, person: Person | undefined): Promise<Connected> {
      const messages = new Channel<Uint8Array>(capacity);
      const connection: PlayedConnection = { request, person, sent: [], messages, closed: false };
      connections.push(connection);
      return {
        messages,
        send: async (message) => void connection.sent.push(Buffer.from(message)),
        close() {
          connection.closed = true;
          messages.close();
        },
      };
    },
  };
}
