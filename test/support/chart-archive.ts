import { gzipSync } from 'node:zlib';

/** One entry of an archive; a file where nothing else is said. */
export interface TarEntry {
  readonly name: string;
  readonly body?: string | Buffer;
  readonly type?: string;
}

/** A packed archive as `helm package` makes them, or as somebody makes them who means no good. */
export function packTar(entries: readonly TarEntry[]): Buffer {
  const blocks = entries.flatMap(({ name, body = '', type = '0' }) => {
    const bytes = Buffer.from(body);
    const header = Buffer.alloc(512);
    header.write(name, 0, 100);
    header.write('0000644\0', 100);
    header.write(`${bytes.byteLength.toString(8).padStart(11, '0')}\0`, 124);
    header.write('00000000000\0', 136);
    header.write('        ', 148);
    header.write(type, 156);
    header.write('ustar\0', 257);
    header.write('00', 263);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    return [header, bytes, Buffer.alloc((512 - (bytes.byteLength % 512)) % 512)];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

/** The archive of a chart. */
export function packChart(name: string, version: string, files: Readonly<Record<string, string | Buffer>> = {}): Buffer {
  const all = { 'Chart.yaml': `apiVersion: v2\nname: ${name}\nversion: ${version}\n`, ...files };
  return packTar(Object.entries(all).map(([file, body]) => ({ name: `${name}/${file}`, body })));
}
