import { isFields, readList, readString } from './fields';

/** The three values a condition may have. */
export const CONDITION_STATUSES = ['True', 'False', 'Unknown'] as const;
export type ConditionStatus = (typeof CONDITION_STATUSES)[number];

/** A condition as Kubernetes kinds carry it in `status.conditions`. */
export interface Condition {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly severity?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly observedGeneration?: number;
}

const TEXTS = ['severity', 'reason', 'message', 'lastTransitionTime'] as const;

/** Reads `status.conditions`; entries without a type or with another status are left out, and so are members that are no text where one belongs. */
export function readConditions(object: unknown): readonly Condition[] {
  return readList(object, 'status', 'conditions').flatMap((entry) => {
    if (!isFields(entry) || readString(entry, 'type') === undefined || !(CONDITION_STATUSES as readonly unknown[]).includes(entry.status))
      return [];
    const wrong = TEXTS.filter((member) => entry[member] !== undefined && typeof entry[member] !== 'string');
    const condition =
      wrong.length === 0 ? entry : Object.fromEntries(Object.entries(entry).filter(([key]) => !(wrong as readonly string[]).includes(key)));
    return [condition as unknown as Condition]; // its members were looked at one by one
  });
}

/** The condition of one type, if the object reports it. */
export function getCondition(object: unknown, type: string): Condition | undefined {
  return readConditions(object).find((condition) => condition.type === type);
}
