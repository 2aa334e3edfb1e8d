import '@fontsource-variable/geist';
import './globals.css';
import type { Metadata, Viewport } from 'next';
import { cookies, headers } from 'next/headers';
import type { ReactNode } from 'react';
import { siteMetadata } from '@/components/shell/site-metadata';
import { StyleNonce } from '@/components/shell/style-nonce';
import { parseTheme, THEME_COOKIE, themeClass } from '@/components/shell/theme';
import { runtime } from '@/server/runtime';

/** What every page says of itself; the build, which has no engine, ends where headers are asked for. */
export async function generateMetadata(): Promise<Metadata> {
  await headers();
  return siteMetadata(runtime().publicUrl);
}

export const viewport: Viewport = {
  width: 'device-width',
  initialScale: 1,
  viewportFit: 'cover',
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#f8f9fb' },
    { media: '(prefers-color-scheme: dark)', color: '#0e0f12' },
  ],
};

/** The document around everything: language, theme and the nonce that styles need. */
export default async function RootLayout({ children }: { children: ReactNode }) {
  const theme = parseTheme((await cookies()).get(THEME_COOKIE)?.value);
  const nonce = (await headers()).get('x-nonce') ?? '';
  return (
    <html lang="en" className={themeClass(theme)} suppressHydrationWarning>
      <body>
        <StyleNonce nonce={nonce} />
        {children}
      </body>
    </html>
  );
}
