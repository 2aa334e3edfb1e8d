import { z } from 'zod';
import { messageOf } from '@/lib/contract/app-error';
import { parseInstant, toInstant } from '@/lib/std/instant';
import { aggregateStatus } from '@/server/status/aggregate';
import { StatusCollector } from '@/server/status/collector';
import { formatObjMetadata, parseObjMetadata } from '@/server/status/identifier';
import type { StatusEvent } from '@/server/status/resource-status';
import { isSameStatus } from '@/server/status/resource-status';
import { augment } from '@/server/status/surface/augment';
import { hashIdentifiers } from '@/server/status/surface/identifier-set';
import type { CaseDifference } from '../case';
import { compare } from '../compare';
import { compareStatus, toView } from './compare-status';
import type { PollingCase } from './schema';
import { fromView, identifier, kubeObject, status, statusView, textError } from './schema';

export async function runAggregateCase({ given, then }: PollingCase): Promise<readonly CaseDifference[]> {
  const { statuses, desired } = z.object({ statuses: z.array(status), desired: status }).parse(given);
  return compare('status', then.status, aggregateStatus(statuses, desired));
}

export async function runEqualityCase({ given, then }: PollingCase): Promise<readonly CaseDifference[]> {
  const { a, b } = z.object({ a: statusView, b: statusView }).parse(given);
  return compare('equal', then.equal, isSameStatus(fromView(a), fromView(b)));
}

export async function runIdentifierCase({ given, then }: PollingCase): Promise<readonly CaseDifference[]> {
  if (given.set !== undefined) return compare('hash', then.hash, hashIdentifiers(z.array(identifier).parse(given.set)));
  if (given.identifier !== undefined) return compare('text', then.text, formatObjMetadata(identifier.parse(given.identifier)));
  try {
    return compare('identifier', then.identifier, parseObjMetadata(z.string().parse(given.text)));
  } catch (error) {
    return compare('error', then.error, messageOf(error));
  }
}

export async function runAugmentCase({ given, then }: PollingCase): Promise<readonly CaseDifference[]> {
  try {
    return compare('object', then.object, augment(kubeObject.parse(given.object), parseInstant(given.now) ?? toInstant(0)));
  } catch (error) {
    return 'error' in then ? [] : [{ at: 'object', expected: then.object, found: messageOf(error) }];
  }
}

const event = z.union([
  z.object({ type: z.literal('Update'), resource: statusView }),
  z.object({ type: z.literal('Error'), error: z.string() }),
  z.object({ type: z.literal('Sync') }),
]);

const collected = z.strictObject({
  lastEventType: z.string(),
  statuses: z.array(statusView),
  error: z.string().optional(),
  listenerErrors: z.array(z.string()),
  aggregates: z.array(z.string()),
});

export async function runCollectorCase({ given, then }: PollingCase): Promise<readonly CaseDifference[]> {
  const { identifiers, desired, events } = z
    .object({ identifiers: z.array(identifier), desired: status, events: z.array(event) })
    .parse(given);
  const expected = collected.parse(then);
  const collector = new StatusCollector(identifiers);
  async function* stream(): AsyncGenerator<StatusEvent, void, void> {
    for (const one of events) {
      if (one.type === 'Update') yield { type: 'Update', resource: fromView(one.resource) };
      else if (one.type === 'Error') yield { type: 'Error', error: textError(one.error) };
      else yield one;
    }
  }
  const aggregates: string[] = [];
  const errors = await collector.listen(stream(), (observed) => {
    const statuses = observed.latest().statuses.map((held) => held.status);
    aggregates.push(aggregateStatus(statuses, desired));
  });
  const latest = collector.latest();
  const { statuses, ...rest } = expected;
  return [
    ...compare('', rest, {
      lastEventType: latest.lastEventType,
      error: latest.error?.text,
      listenerErrors: errors.map(({ text }) => text),
      aggregates,
    }),
    ...compare(
      'statuses',
      statuses.map((view) => view.identifier),
      latest.statuses.map((held) => formatObjMetadata(held.identifier)),
    ),
    ...statuses.flatMap((view, index) => {
      const found = latest.statuses[index];
      // Views of a collector say nothing about attached objects.
      return found === undefined ? [] : compareStatus(`statuses[${index}]`, view, { ...toView(found), resource: view.resource });
    }),
  ];
}
