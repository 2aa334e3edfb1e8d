import { CopyButton } from '../copy-button';
import { ScrollRegion } from '../scroll-region';
import { YamlText } from './yaml-text';

/** YAML to read and to copy, with line numbers. */
export function CodeView({ code, label }: { readonly code: string; readonly label: string }) {
  const lines = code.replace(/\n$/, '').split('\n');
  return (
    <div className="relative">
      <CopyButton text={code} className="absolute top-2 right-2" />
      <ScrollRegion tag="pre" label={label} className="py-3 font-mono text-xs leading-[18px]">
        {lines.map((line, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its number
          <div key={at} className="flex">
            <span aria-hidden="true" className="w-11 shrink-0 select-none pr-3 text-right text-ink-3">
              {at + 1}
            </span>
            <code className="whitespace-pre pr-4">
              <YamlText line={line} />
              {'\n'}
            </code>
          </div>
        ))}
      </ScrollRegion>
    </div>
  );
}
