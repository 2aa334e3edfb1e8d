import Link from 'next/link';

/** The object a key names, as a link where a page shows it. */
export function KeyLink({ to: { key, href } }: { readonly to: { readonly key: string; readonly href: string | null } }) {
  if (href === null) return <span className="text-ink wrap-anywhere">{key}</span>;
  return (
    <Link
      href={href}
      className="wrap-anywhere rounded-sm text-ink underline decoration-line-strong underline-offset-2 hover:decoration-current"
    >
      {key}
    </Link>
  );
}
