import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { toAddress } from '@/lib/kube/object';
import { parseInstant } from '@/lib/std/instant';
import type { Clock, Registry, Release } from '@/server/platform';
import { Gauge } from '@/server/platform';
import { getOrCreateMetric } from '../events/framework-metrics';

const OBJECT_LABELS = ['controller', 'kind', 'name', 'namespace'];
/** Errors are forgotten after so many resynchronisations: with fewer, alerts on them flap. */
const ERROR_PERIODS = 4;

/** What operators alert on: failures, the last success, and objects whose deletion does not end. */
export class HandlerMetrics {
  readonly #clock: Clock;
  readonly #controller: string;
  readonly #resyncPeriodMs: number;
  readonly #errors: Gauge;
  readonly #lastReconciled: Gauge;
  readonly #created: Gauge;
  readonly #deleting: Gauge;
  #forgetting: Release | undefined;

  constructor(registry: Registry, options: { readonly clock: Clock; readonly controller: string; readonly resyncPeriodMs: number }) {
    const gauge = (name: string, help: string, labelNames: string[]) =>
      getOrCreateMetric(registry, name, () => new Gauge({ name, help, labelNames, registers: [registry] }));
    this.#clock = options.clock;
    this.#controller = options.controller;
    this.#resyncPeriodMs = options.resyncPeriodMs;
    this.#errors = gauge('operatorkit_controller_errors_total', 'Failures of late', ['controller']);
    this.#lastReconciled = gauge('operatorkit_controller_last_reconciled', 'When an object was last reconciled successfully', [
      'controller',
    ]);
    this.#created = gauge('operatorkit_controller_creation_timestamp', 'When the object was created', OBJECT_LABELS);
    this.#deleting = gauge('operatorkit_controller_deletion_timestamp', 'When the deletion of the object was requested', OBJECT_LABELS);
  }

  /** Notes the times of an object that was read. */
  observe(object: KubeObject): void {
    const labels = this.#labelsOf(toAddress(object));
    const createdAt = parseInstant(object.metadata.creationTimestamp);
    const deletingAt = parseInstant(object.metadata.deletionTimestamp);
    if (createdAt !== undefined) this.#created.set(labels, createdAt / 1000);
    if (deletingAt !== undefined) this.#deleting.set(labels, deletingAt / 1000);
  }

  /** Forgets an object that is gone. */
  forget(at: ObjectAddress): void {
    const labels = this.#labelsOf(at);
    this.#created.remove(labels);
    this.#deleting.remove(labels);
  }

  succeeded(): void {
    this.#lastReconciled.set({ controller: this.#controller }, this.#clock.now() / 1000);
  }

  failed(): void {
    this.#errors.inc({ controller: this.#controller });
    this.#forgetting ??= this.#clock.schedule(ERROR_PERIODS * this.#resyncPeriodMs, () => {
      this.#forgetting = undefined;
      this.#errors.set({ controller: this.#controller }, 0);
    });
  }

  /** Ends the timer that forgets errors. */
  stop(): void {
    this.#forgetting?.();
    this.#forgetting = undefined;
  }

  #labelsOf({ kind, name, namespace = '' }: ObjectAddress) {
    return { controller: this.#controller, kind, name, namespace };
  }
}
