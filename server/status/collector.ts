import type { ObjMetadata } from './identifier';
import { toIdentifierKey } from './identifier';
import type { ResourceStatus, StatusError, StatusEvent } from './resource-status';
import { compareResourceStatus } from './resource-status';

/** The latest of everything that a stream told. */
export interface Observation {
  readonly lastEventType: StatusEvent['type'];
  readonly statuses: readonly ResourceStatus[];
  readonly error?: StatusError;
}

/** Called after each event was applied, errors and Sync included; whoever waits for something aborts its stream here. */
export type Observer = (collector: StatusCollector, event: StatusEvent) => void;

/** Keeps the latest status of each identifier. What was asked for is Unknown until it is told of. */
export class StatusCollector {
  readonly #statuses = new Map<string, ResourceStatus>();
  #lastEventType: StatusEvent['type'] = 'Update';
  #error: StatusError | undefined;

  constructor(identifiers: readonly ObjMetadata[]) {
    for (const identifier of identifiers) {
      this.#statuses.set(toIdentifierKey(identifier), { identifier, status: 'Unknown', message: '', generated: [] });
    }
  }

  /** Follows a stream to its end; answers the errors it told, which do not end the listening. */
  async listen(stream: AsyncIterable<StatusEvent>, observer?: Observer): Promise<readonly StatusError[]> {
    const errors: StatusError[] = [];
    for await (const event of stream) {
      this.#apply(event);
      if (event.type === 'Error') errors.push(event.error);
      observer?.(this, event);
    }
    return errors;
  }

  /** The latest of one object; undefined for one that was neither asked for nor told of. */
  statusOf(key: string): ResourceStatus | undefined {
    return this.#statuses.get(key);
  }

  latest(): Observation {
    return {
      lastEventType: this.#lastEventType,
      statuses: [...this.#statuses.values()].sort(compareResourceStatus),
      ...(this.#error ? { error: this.#error } : {}),
    };
  }

  #apply(event: StatusEvent): void {
    this.#lastEventType = event.type;
    if (event.type === 'Update') this.#statuses.set(toIdentifierKey(event.resource.identifier), event.resource);
    if (event.type === 'Error') this.#error = event.error;
  }
}
