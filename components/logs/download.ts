import { t } from '@/lib/words/catalogue/objects/logs';
import type { LogReader } from './lines/log-reader';
import type { LogPlace } from './log-address';

const PIECE = 5000;

/** Saves the lines that are shown as a text file, each with its time and its container. */
export function downloadLines(place: LogPlace, reader: LogReader): void {
  const url = URL.createObjectURL(new Blob(toTexts(reader), { type: 'text/plain;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${'pod' in place ? place.pod : place.application}.log`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 0);
}

/** The text of what is shown, in pieces: one text of all would be held twice. */
function toTexts(reader: LogReader): string[] {
  const { shown, lines } = reader;
  const texts: string[] = [];
  for (let from = 0; from < shown.count; from += PIECE) {
    const part: string[] = [];
    for (let index = from; index < Math.min(shown.count, from + PIECE); index++) {
      const line = lines.at(shown.number(index));
      if (line === undefined) continue;
      const source = reader.source(line.from);
      const cut = line.cut === undefined ? '' : t.bytesCutOff(line.cut);
      part.push(
        `${line.at ?? '-'} ${source?.pod ?? '-'} ${source?.container ?? '-'} ${line.mark === undefined ? '' : '--- '}${line.text}${cut}\n`,
      );
    }
    texts.push(part.join(''));
  }
  return texts;
}
