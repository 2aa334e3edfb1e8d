/** A run of a YAML line that looks alike. */
export interface YamlPart {
  readonly kind: 'key' | 'value' | 'text' | 'number' | 'mark' | 'comment';
  readonly text: string;
}

const LINE = /^(\s*(?:- )*)(?:([^\s#"'][^:#]*|"[^"]*"|'[^']*')(:)(?=\s|$))?(\s*)(.*)$/;

/** Splits a line of YAML for the eye. Joined again the parts are the line, whatever it holds. */
export function splitYamlLine(line: string): readonly YamlPart[] {
  const found = LINE.exec(line);
  if (!found) return [{ kind: 'value', text: line }];
  const [, lead = '', key = '', colon = '', gap = '', rest = ''] = found;
  const parts: YamlPart[] = [
    { kind: 'mark', text: lead },
    { kind: 'key', text: key },
    { kind: 'mark', text: colon + gap },
    { kind: kindOf(rest), text: rest },
  ];
  return parts.filter((part) => part.text !== '');
}

function kindOf(value: string): YamlPart['kind'] {
  if (value.startsWith('#')) return 'comment';
  if (/^["'].*["']$/.test(value)) return 'text';
  if (/^(-?\d+(\.\d+)?|true|false|null|~)$/.test(value)) return 'number';
  return 'value';
}
