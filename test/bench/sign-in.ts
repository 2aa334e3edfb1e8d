/** Signs in by the printed address, as the page does that it leads to; answers the cookie of the session. */
export async function signIn(address: string): Promise<string> {
  const { origin, searchParams } = new URL(address);
  const page = await fetch(address);
  await page.text();
  const session = await fetch(new URL('/api/v1/session', origin), {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({ token: searchParams.get('token') }),
  });
  const cookies = session.headers.getSetCookie().map((line) => line.split(';', 1)[0]);
  if (!session.ok || cookies.length === 0) throw new Error(`signing in answered ${session.status}: ${await session.text()}`);
  return cookies.join('; ');
}
