import Link from 'next/link';
import { Empty } from '@/components/ui/data/empty';

export default function NotFound() {
  return (
    <main className="flex min-h-dvh items-center">
      <Empty
        title="There is no page at this address"
        action={
          <Link href="/" className="rounded-sm font-medium text-accent hover:underline">
            Open Slipway
          </Link>
        }
      />
    </main>
  );
}
