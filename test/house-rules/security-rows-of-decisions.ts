import type { SecurityRow } from './security-row';
import { both } from './security-row';

/** The rows about decisions, in the order of the page. */
export const ROWS_OF_DECISIONS: readonly SecurityRow[] = [
  both('going past a gate alone', 'binds advance and promote-full by the same quorum, at the same stage'),
  [
    'being a second person by a service account',
    'is no second person for %s, however it is called, and another person is',
    'approves nothing for who requested it, and counts where the policy names a group of it, or asks for one decision of anyone',
  ],
  [
    'being a second person by an account, or approving alone',
    'is not two by a service account that they may use',
    'does not approve what their own change leaves behind, where the policy wants someone else',
  ],
  both(
    'the same of an application in another one, whose objects the server itself writes',
    'of an application in another one is approved by someone else than whoever changed the outer one, where the policy wants that',
  ),
  [
    'deleting an application and approving alone what its deletion takes along',
    'does not approve alone that an application goes, where the policy wants someone else',
    'waits for those whose approval would count, and not for who has given one',
  ],
  [
    'a policy with fewer gates',
    'with %s opens no gate in mid-rollout, alone or with a new version',
    'is in force once as many people of the stricter one have decided it, and not before',
  ],
  [
    'writing what a gate is judged by',
    'is written by nobody else, whichever way, whatever rights they have in the namespace',
    'is deleted by nobody else, one by one or all at once, and goes with its application',
  ],
  both('going past a gate by the rights of one role', 'do what they were given and nothing else of all that leads past a gate'),
  both('acting as someone else where one may impersonate some', 'an impersonator decides as whom they may impersonate, and as nobody else'),
  both(
    'deleting what keeps a gate, or taking its owners off',
    'is deleted by no account of kube-system but those that clean up in the cluster',
  ),
  [
    'having a definition drop what a rollout is about',
    'waits at the gate after the stage that it reached, for all approvals, where nobody remembers it',
    'goes on where it was, with the approvals that it had and the attempt that it is',
  ],
  [
    'a definition that drops gates, put in the place of ours',
    'one that is replaced while its watch stays open and says nothing more is noticed within five minutes',
    'one of last month is told with the command that fixes it, and mended the moment it is applied',
  ],
  [
    'having a definition drop what the gate of a release requires',
    'is not taken for none where a definition drops %s: nothing is released, and nothing is written over it',
    'is in force as it is kept, also where nothing is demanded any more, and begins where it was only made',
  ],
  both(
    'being someone else than who asked for a looser policy',
    'a user name of two lines changes no application and no rollout, and decides nothing',
  ),
  both('a rollout without an application', 'names who wrote a rollout that no application owns, and everybody who changed its policy'),
  both("a rollout of one's own that names the workloads", 'is no rollout of somebody’s own that names the same workloads'),
  both('a second application that holds', 'is no second application that holds the same workload, also where it takes over'),
  both('a retry, a rollback, or a change', 'is no retry: it begins with no approvals, and what was approved before is approved again'),
  both(
    'deciding about a release in someone else',
    'are made in nobody else’s name, with nobody else’s groups, and with no verb that one may not use',
  ),
  both(
    'deciding about a HelmRelease by the right',
    'about a HelmRelease want the verb in its group: that to one of the same name in another gives nothing',
  ),
  both("having one's own decision deleted", 'what it did stays, so a quorum that it is a part of counts it and its person once'),
  both(
    'passing the gate of one’s own change, where the policy requires someone else, by deciding',
    'keeps whoever requested the rollout from deciding it while that is under way, and not at rest',
  ),
  [
    'having a looser policy put in force by what was decided',
    'is not put in force by a decision made again that counted for the same policy before',
    'is in force once as many people of the stricter one have decided it, and not before',
  ],
  both(
    'creating a decision of an earlier attempt',
    'is no decision that is made again, with all that it was stored with: it counts for its own attempt',
  ),
  [
    'approving a gate or a deletion twice',
    'is refused with what counts, and nothing is written',
    'is told what their approval does, and counts once however often they approve',
  ],
  [
    'asking a rollout for another version and saying that it starts from nothing',
    'starts from what is there, with its gates, where its spec says that it starts from %s',
    'goes by the lists of its spec where these say where things stand: through, or in the middle of a stage',
  ],
  [
    'scaling by hand what a rollout owns',
    'is put back in the next pass and named; twice within a minute holds the rollout until somebody resumes it',
    'is no hand where a stage does, and whoever changes something else is not named',
  ],
  [
    'serving another version past a gate',
    'runs nothing else by hand, on the former revision as on the newest, and is scaled and approved as before',
    'is left to whom a policy leaves it: as it is by read-only, and where apply-once names a field',
  ],
  [
    'a weaker policy or binding in the place of ours',
    'lets nothing past a gate with %s',
    'is complete where every policy and binding of the deployment is there',
  ],
  both(
    'the same while the watch of policies stays open and tells nothing more',
    'is missed also where its watch stays open and says nothing more, as behind a proxy, and such a watch is given up and begun again',
  ),
  both(
    "approving a deletion in someone else's name while the policies",
    'counts no approval that is made while nothing ties it to a person, and deletes nothing by it',
  ),
];
