/** Which entries of the record are wanted. An absent member does not filter; namespaces are those the reader may see. */
export interface RecordQuery {
  readonly namespaces: 'all' | readonly string[];
  /** Namespaces, any of which will do. */
  readonly ns?: readonly string[];
  readonly q?: string;
  readonly actor?: string;
  /** An act, or one plain word for a family of them. */
  readonly action?: string;
  /** What is about an application: itself, what bears its name, its revisions and their trackers. */
  readonly application?: string;
  readonly result?: 'done' | 'refused' | 'failed';
  /** From this instant on, and before that one, as the record writes them. */
  readonly from?: string;
  readonly to?: string;
  readonly sort?: string;
  /** Oldest first instead of newest first. */
  readonly ascending?: boolean;
  /** Only entries before this place in the chain. */
  readonly before?: number;
  readonly page: number;
  readonly size: number;
}

/** True for what no index serves: the record is walked for it. */
export function isSearched({ q, action, application, result, from, to }: Partial<RecordQuery>): boolean {
  return [q, application, result, from, to].some((member) => member !== undefined) || (action !== undefined && isFamily(action));
}

/** `decision`, of which `decision.approve` is one. */
export const isFamily = (action: string) => /^[a-z]+$/.test(action);
