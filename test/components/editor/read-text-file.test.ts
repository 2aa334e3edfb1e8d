import { describe, expect, it } from 'vitest';
import { readTextFile } from '@/components/editor/read-text-file';

const file = (name: string, content: BlobPart = 'a: 1') => new File([content], name);

describe('a file that is dropped on the editor', () => {
  it('[issue 14.3] is its text', async () => {
    expect(await readTextFile([file('web.yaml', 'name: café\n')])).toBe('name: café\n');
  });

  it.each([
    ['nothing', [], 'The drop must be a file, found none.'],
    ['two files', [file('a.yaml'), file('b.yaml')], 'The drop must be one file, found 2.'],
    ['a program', [file('a.exe')], 'The file must be YAML or JSON (.yaml, .yml, .json), found a.exe.'],
    ['a large one', [file('a.yaml', new Uint8Array(1_500_000))], 'The file must be at most 1 MB, found 1.5 MB.'],
    ['no text', [file('a.yaml', new Uint8Array([0xff, 0xfe, 0xc3, 0x28]))], 'The file must be UTF-8 text; a.yaml is not.'],
  ])('[issue 14.3] is refused with a sentence where it is %s', async (_what, files, sentence) => {
    await expect(readTextFile(files)).rejects.toThrow(sentence);
  });
});
