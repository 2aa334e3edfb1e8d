import type { YamlPart } from './yaml-line';
import { splitYamlLine } from './yaml-line';

const PART_LOOK: Readonly<Record<YamlPart['kind'], string>> = {
  key: 'text-ink-2',
  value: 'text-ink',
  text: 'text-good',
  number: 'text-odd',
  mark: 'text-ink-4',
  comment: 'text-ink-3 italic',
};

/** One line of YAML in its colours. */
export function YamlText({ line }: { readonly line: string }) {
  return splitYamlLine(line).map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of one line never move
    <span key={at} className={PART_LOOK[part.kind]}>
      {part.text}
    </span>
  ));
}
