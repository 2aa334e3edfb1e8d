import type { ApplicationDetail, ApplicationRow, ComponentView } from '@/lib/contract/application-rows';

const TAG = /^(?<head>.+:.*?)(?<last>\d+)(?<tail>\D*)$/;

/** The image with the last number of its tag raised: what a next version would most likely be called. */
export function nextImage(image: string): string {
  const found = TAG.exec(image);
  if (image.includes('@') || !found?.groups) return image;
  const { head = '', last = '', tail = '' } = found.groups;
  return `${head}${Number(last) + 1}${tail}`;
}

/** Applications to show a first rollout on, the best first: those that its story is about, then those that rest; each once. */
export function rankApplications(story: readonly ApplicationRow[], others: readonly ApplicationRow[]): readonly ApplicationRow[] {
  const resting = others.filter(({ activity }) => activity === 'idle');
  return [...new Map([...story, ...resting].map((row) => [row.key, row])).values()];
}

/** The component of an application that its rollout policy is about. */
export function rolledOutComponent(application: ApplicationDetail): (ComponentView & { readonly image: string }) | undefined {
  for (const component of application.components) {
    if (component.rolledOut && component.image !== null) return { ...component, image: component.image };
  }
  return undefined;
}
