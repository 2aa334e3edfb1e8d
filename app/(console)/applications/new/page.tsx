import type { Metadata } from 'next';
import { NewApplicationScreen } from '@/components/applications/editor-screen';

export const metadata: Metadata = { title: 'New application' };

export default function NewApplicationPage() {
  return <NewApplicationScreen />;
}
