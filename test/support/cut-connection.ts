import type { KubeClient } from '@/server/dispatch';
import type { FakeApiServer } from './dispatch-server';

/** What happens around the n-th request: it fails, its answer is lost, or it hangs until whoever asked gives up. */
export type Strike = 'before' | 'after' | 'hang';

/** The connection of one engine to the fake server. It can be cut, and made to take turns with others. */
export class CutConnection {
  readonly cluster: KubeClient;
  /** Called before each request, as somebody else would act in between. */
  between: (request: number) => void | Promise<void> = () => undefined;
  #requests = 0;
  #strike: { readonly at: number; readonly how: Strike } | undefined;
  #onHang: () => void = () => undefined;
  #giveUp: () => void = () => undefined;

  constructor(server: FakeApiServer) {
    const pass = async <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
      const request = ++this.#requests;
      await this.between(request);
      const isDead = this.#strike !== undefined && request >= this.#strike.at;
      const how = this.#strike?.how;
      if (isDead && (how === 'before' || request > (this.#strike?.at ?? 0))) throw new Error('the connection was cut');
      const answer = await ask();
      if (isDead && how === 'hang') await this.#hang();
      if (isDead) throw new Error('the connection was cut before the answer came');
      return answer;
    };
    this.cluster = {
      discovery: server.discovery,
      get: (at) => pass(() => server.get(at)),
      list: (of, options) => server.list(of, options),
      create: (object, options) => pass(() => server.create(object, options)),
      update: (object, options) => pass(() => server.update(object, options)),
      patch: (at, patch, options) => pass(() => server.patch(at, patch, options)),
      delete: (at, options) => pass(() => server.delete(at, options)),
    };
  }

  /** From the n-th request from now on nothing works any more. Resolves when a request hangs; never for the other ways. */
  cutAt(nth: number, how: Strike): Promise<void> {
    this.#strike = { at: this.#requests + nth, how };
    return new Promise((resolve) => {
      this.#onHang = resolve;
    });
  }

  /** What hangs is given up, as when its process ends. */
  giveUp(): void {
    this.#giveUp();
  }

  async #hang(): Promise<void> {
    this.#onHang();
    await new Promise<never>((_resolve, reject) => {
      this.#giveUp = () => reject(new Error('the request was given up'));
    });
  }
}
