import '@fontsource-variable/geist';
import './globals.css';
import type { Metadata, Viewport } from 'next';
import { cookies, headers } from 'next/headers';
import type { ReactNode } from 'react';
import { StyleNonce } from '@/components/shell/style-nonce';
import { parseTheme, THEME_COOKIE, themeClass } from '@/components/shell/theme';

export const metadata: Metadata = {
  title: { default: 'Slipway', template: '%s · Slipway' },
  description: 'The delivery console for people who roll software out on Kubernetes and must answer for it.',
};

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
