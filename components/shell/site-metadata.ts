import type { Metadata } from 'next';
import { t } from '@/lib/words/catalogue/console/shell';

const DESCRIPTION = t.theDeliveryConsoleForPeople;

/**
 * What pages tell browsers, home screens and whoever unfurls a link: nothing of what they show. The picture is named only with a public address: without
 * one nobody outside could load it.
 */
export function siteMetadata(publicUrl: string | undefined): Metadata {
  return {
    ...(publicUrl === undefined ? {} : { metadataBase: new URL(publicUrl) }),
    title: { default: 'Slipway', template: t.sSlipway },
    description: DESCRIPTION,
    applicationName: 'Slipway',
    manifest: '/manifest.webmanifest',
    // Next leaves out the file app/icon.svg once any icon is named here.
    icons: { icon: { url: '/icon.svg', type: 'image/svg+xml' }, apple: { url: '/apple-touch-icon.png', sizes: '180x180' } },
    openGraph: {
      type: 'website',
      siteName: 'Slipway',
      title: 'Slipway',
      description: DESCRIPTION,
      ...(publicUrl === undefined ? {} : { images: [{ url: '/social.png', width: 1200, height: 630, alt: t.slipwayOf(DESCRIPTION) }] }),
    },
    twitter: { card: publicUrl === undefined ? 'summary' : 'summary_large_image' },
  };
}
