import type { ApplicationDetail, ComponentView } from '@/lib/contract/application-rows';

const TAG = /^(?<head>.+:.*?)(?<last>\d+)(?<tail>\D*)$/;

/** The image with the last number of its tag raised: what a next version would most likely be called. */
export function nextImage(image: string): string {
  const found = TAG.exec(image);
  if (image.includes('@') || !found?.groups) return image;
  const { head = '', last = '', tail = '' } = found.groups;
  return `${head}${Number(last) + 1}${tail}`;
}

/** The component of an application that its rollout policy is about. */
export function rolledOutComponent(application: ApplicationDetail): (ComponentView & { readonly image: string }) | undefined {
  for (const component of application.components) {
    if (component.rolledOut && component.image !== null) return { ...component, image: component.image };
  }
  return undefined;
}
