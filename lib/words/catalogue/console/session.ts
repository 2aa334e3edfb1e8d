import { catalogue } from '../catalogue';

/** What the pages before anybody is signed in says. */
export const t = catalogue({
  theProviderRefusedTheSign: 'The provider refused the sign-in. Try again, or ask its administrator.',
  signInToSlipway: 'Sign in to Slipway',
  yourOrganisationsProviderConfirmsYour: 'Your organisation’s provider confirms your user name and groups.',
  staySignedInAs: (signedInAs: string) => `Stay signed in as ${signedInAs}`,
  youAreSignedInAs: <A>(signedInAs: string, part: A) => [
    'You are signed in as ',
    signedInAs,
    '. Signing in again ends that session in every tab. ',
    part,
  ],
  signingIn: 'Signing in…',
  signInWithYourProvider: 'Sign in with your provider',
  openTheAddressThatThe: 'Open the address that the server printed when it started, or paste the token from it here.',
  aPrintedTokenWorksOnce: 'A printed token works once. Restart the server for a new one, or ask for a link.',
  pasteABearerTokenFor: 'Paste a bearer token for the cluster, such as one from kubectl create token.',
  itMayHaveExpiredKubectl: 'It may have expired: kubectl create token creates a new one.',
  theTokenOfThisAddress: 'the token in this address',
  anotherToken: 'another token',
  youAreSignedInAsSigning: <A>(signedInAs: string, part: string, part2: A) => [
    'You are signed in as ',
    signedInAs,
    '. Signing in with ',
    part,
    ' ends that session, in every tab. ',
    part2,
  ],
  token: 'Token',
  signIn: 'Sign in',
});
