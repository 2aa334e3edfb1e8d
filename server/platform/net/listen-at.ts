import type { AddressInfo, Server } from 'node:net';
import { AppError } from '@/lib/contract/app-error';

interface Place {
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
}

const WHY: Readonly<Record<string, (place: Place) => string>> = {
  EADDRINUSE: ({ host, port }) => `port ${port} of ${host} is in use by another program`,
  EACCES: ({ host, port }) => `this user may not listen on port ${port} of ${host}`,
  EADDRNOTAVAIL: ({ host }) => `this machine does not have the address ${host}`,
  ENOTFOUND: ({ host }) => `there is no host ${host}`,
};

/** Begins to listen and answers the port. Throws AppError `unavailable` with the reason, and `remedy`, where the address cannot be listened on. */
export function listenAt(server: Server, { host, port }: Place, remedy: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => {
      const why = WHY[error.code ?? '']?.({ host, port });
      reject(why === undefined ? error : new AppError('unavailable', `${why}; ${remedy}`, { cause: error }));
    };
    server.once('error', fail);
    server.listen(port, host, () => {
      server.off('error', fail);
      resolve((server.address() as AddressInfo).port); // listens on TCP
    });
  });
}
