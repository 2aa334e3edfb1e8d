import type { StoredContent } from '@/lib/contract/release-comparison';
import type { KubeObject, ObjectAddress } from '@/lib/kube/object';
import { yieldToEventLoop } from '@/server/platform';
import type { Comparing, RevisionContent } from '../compare-revisions';
import { masksOf, writeValues } from '../compare-revisions';

/** Of a manifest so many characters are told at once; what comes after is named. */
const MAX_TEXT = 2 * 1024 * 1024;

interface Shown extends Pick<Comparing, 'inline' | 'hides' | 'clock'> {
  readonly addressOf: (object: KubeObject) => Promise<ObjectAddress>;
}

/** What a revision holds, masked in the same way as where two are compared. */
export async function describeStored(
  content: RevisionContent,
  { inline, hides, clock, addressOf }: Shown,
): Promise<Omit<StoredContent, 'revision'>> {
  const { mask, write } = await masksOf([content], { inline: [inline], hides, clock });
  const objects: StoredContent['objects'] = [];
  let length = 0;
  for (const object of content.objects) {
    await yieldToEventLoop(clock);
    const { apiVersion, kind, namespace = null, name } = await addressOf(object);
    const text = length < MAX_TEXT ? write(object) : '';
    length += text.length;
    const isTold = text !== '' && length <= MAX_TEXT;
    objects.push({ apiVersion, kind, ns: namespace, name, text: isTold ? text : null, why: isTold ? null : 'long' });
  }
  await yieldToEventLoop(clock);
  const values = writeValues(content.values, inline, hides);
  await yieldToEventLoop(clock);
  return { values, hidesValues: hides, objects, notes: mask(content.notes) };
}
