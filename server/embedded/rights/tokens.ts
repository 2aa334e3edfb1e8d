import type { KubeObject } from '@/lib/kube/object';
import type { Ids } from '@/server/platform';
import type { Store } from '../storage/store';
import type { Caller } from './caller';
import { callerOf } from './caller';

/** Bearer tokens and whom they name. Tokens of service accounts die with their account. */
export class Tokens {
  readonly #people = new Map<string, Caller>();
  readonly #accounts = new Map<string, { readonly key: string; readonly uid: string }>();
  readonly #store: Store;
  readonly #ids: Ids;

  constructor(store: Store, ids: Ids) {
    this.#store = store;
    this.#ids = ids;
  }

  add(token: string, caller: Caller): void {
    this.#people.set(token, caller);
  }

  /** A new token for a service account. */
  issue(account: KubeObject): string {
    const token = this.#ids.secret();
    this.#accounts.set(token, {
      key: `${account.metadata.namespace ?? ''}/${account.metadata.name ?? ''}`,
      uid: account.metadata.uid ?? '',
    });
    return token;
  }

  /** Whom the token names, if anybody. */
  callerOf(token: string): Caller | undefined {
    const account = this.#accounts.get(token);
    if (account === undefined) return this.#people.get(token);
    const held = this.#store.get('serviceaccounts', account.key);
    if (held?.metadata.uid !== account.uid) return undefined;
    return callerOf({ user: `system:serviceaccount:${account.key.replace('/', ':')}`, groups: [], uid: account.uid });
  }
}
