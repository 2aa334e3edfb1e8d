import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { siteMetadata } from '@/components/shell/site-metadata';
import { config } from '@/proxy';

const manifest = JSON.parse(readFileSync('public/manifest.webmanifest', 'utf8')) as {
  icons: readonly { src: string; sizes: string }[];
  description: string;
};

/** Width and height of a PNG, from its first chunk. */
function sizeOf(file: string): string {
  const png = readFileSync(file);
  expect(png.subarray(1, 4).toString(), file).toBe('PNG');
  return `${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`;
}

describe('what is in public/', () => {
  it('[issue 11.1] has the sizes that manifest and pages tell', () => {
    const told = manifest.icons.filter(({ src }) => src.endsWith('.png')).map(({ src, sizes }) => [src, sizes]);
    expect(told).toEqual(told.map(([src]) => [src, sizeOf(`public${src}`)]));
    expect(sizeOf('public/apple-touch-icon.png')).toBe('180x180');
    expect(sizeOf('public/social.png')).toBe('1200x630');
  });

  it('[issue 11.1] is the same sentence everywhere', () => {
    expect(JSON.parse(readFileSync('package.json', 'utf8'))).toMatchObject({ description: manifest.description });
    expect(siteMetadata(undefined)).toMatchObject({ description: manifest.description, openGraph: { description: manifest.description } });
    expect(readFileSync('README.md', 'utf8')).toContain(manifest.description);
  });

  it('[issue 11.1] is linked by the public address where there is one', () => {
    expect(`${siteMetadata('https://console.example.com').metadataBase}`).toBe('https://console.example.com/');
    expect(siteMetadata('https://console.example.com')).toHaveProperty('openGraph.images');
    expect(siteMetadata(undefined)).not.toHaveProperty('metadataBase');
    expect(siteMetadata(undefined)).not.toHaveProperty('openGraph.images');
  });

  it('[issue 11.1] is no page: it gets no policy of a page, and pages keep theirs', () => {
    const matcher = new RegExp(`^${config.matcher[0]?.source}$`);
    const asked = [...readdirSync('public').map((file) => `/${file}`), '/sign-in', '/social.png/x', '/rollouts/shop/icon-192.png'];
    expect(asked.filter((path) => matcher.test(path))).toEqual(['/sign-in', '/social.png/x', '/rollouts/shop/icon-192.png']);
  });
});
