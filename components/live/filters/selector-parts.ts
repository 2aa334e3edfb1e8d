import { formatRequirement, readSelector } from '@/lib/kube/labels/selector-text';

/** The requirements of a selector, each as a text of its own; one that cannot be read is one part. */
export function partsOf(selector: string | undefined): readonly string[] {
  if (selector === undefined || selector.trim() === '') return [];
  const read = readSelector(selector);
  return read.ok ? [...new Set(read.requirements.map(formatRequirement))] : [selector];
}

/** A selector with the requirements of another one put to it. */
export function addToSelector(selector: string | undefined, added: string): string {
  return [...new Set([...partsOf(selector), ...partsOf(added)])].join(',');
}

/** A selector without one of its requirements. */
export function takeFromSelector(selector: string | undefined, part: string): string {
  return partsOf(selector)
    .filter((one) => one !== part)
    .join(',');
}
