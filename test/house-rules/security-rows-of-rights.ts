import type { SecurityRow } from './security-row';
import { both } from './security-row';

/** The rows about rights, and about what is shown. */
export const ROWS_OF_RIGHTS: readonly SecurityRow[] = [
  // Rights
  [
    'having the engine write, take over or delete',
    'gives nobody more than their rights: %s',
    'is changed by whoever may write what it is about, whatever else the application holds',
  ],
  both(
    'having what was refused applied while the API server restarts',
    'and what it holds is asked of the requester also while policies cannot be read, as when the API server restarts',
  ),
  both('the same through an application in another one', 'of an application in another binds whoever changes the outer one: %s'),
  both(
    'having an object of the cluster deleted by moving it into an inner application',
    'takes nothing away by naming it in an application in it, which would only read it',
  ),
  both('writing, or giving rights, by an application', 'is not what would give somebody rights that whoever requested it does not hold'),
  both("having one's labels or annotations carried out", 'reach only what whoever wrote them may write, whoever makes the next change: %s'),
  both('viewing, or acting, with rights that were withdrawn', 'what is given again shows again'),
  [
    'a shell with rights that the person does not hold, or no longer holds',
    'cannot be typed into, sized or closed from another socket, not even of the same person; from its own it can',
    'is refused to who may not create pods/exec, before anything is connected; with the right it opens',
  ],
  [
    'reaching ports of a pod without the right',
    'cannot be connected through from another socket, not even of the same person, and nonsense opens nothing',
    'is refused to who may not create pods/portforward, whatever else they may; with the right it opens',
  ],
  both(
    'keeping a shell or forwarded ports for as long as the cluster cannot be asked',
    'ends once its right could not be checked for a minute, and not before; each check that succeeds begins it again',
  ),
  [
    'following logs with a right or a session that is gone',
    'end within five seconds when the right is withdrawn, tell nothing after that, and let go of the cluster',
    'come as the person reads them, merged by time, until all are read',
  ],
  both(
    'viewing with groups that one is no longer in',
    'ends with the groups that gave it, a minute after the cluster says so, and the session goes on with what is left',
  ),
  [
    'seeing or ending the sessions of others',
    'are shown and ended without any right, and nobody else’s are',
    'sees the sessions of everyone, and ends one or all of one user',
  ],
  both(
    'going on with a session that was ended, on another replica',
    'ends on the other within five seconds, used there or not, and is refused there',
  ),
  both(
    'going on with a token that was withdrawn, on a server that starts',
    'is nobody’s after a restart as long as the cluster does not say whether its token still counts, and is asked about each time',
  ),
  [
    'having a server that was taken over write workloads',
    'gives whoever has its credentials no Secret and no workload elsewhere',
    'leads, lacks nothing of its role, and waits with an application until its namespace is granted; then applies it',
  ],
  [
    'acting through the server as a part of the cluster',
    'no one may act as nobody, as a part of the cluster or in a group of it, nor slip an identity in by a header',
    'impersonation sends user, every group, uid and extra',
  ],
  [
    'being someone else, or a part of the cluster, by white space',
    'no one may act as nobody, as a part of the cluster or in a group of it, nor slip an identity in by a header',
    'takes nobody into a group of the system, though nothing is put before groups and the role names it',
  ],
  both(
    'having more rights than the console uses',
    'is each verb on each resource, subresources by themselves, those aside that a line above the rule explains',
  ),
  both(
    'with `--auth oidc`: being someone of the cluster',
    'takes whom it names, by prefix, and leaves out groups that the role does not name',
  ),
  [
    'with `--auth oidc`: a server that was taken over acts as anyone',
    'lets whoever has its credentials do as people what the console does for them, and nothing else',
    'acts as whom the provider names, in the groups that the role names',
  ],
  [
    'having an application or a release deleted that one may change and not delete',
    'a release that one may change and not delete is given no other owner, and is changed otherwise',
    'do what they were given and nothing else of all that leads past a gate',
  ],
  [
    'making the server list and watch kinds',
    'costs nothing: no watch, list, get or tracker of the kind that it names, however long it waits',
    'is changed by whoever may write what it is about',
  ],
  // What is shown
  both(
    'activity of other namespaces',
    'activity of a namespace is sent to whoever may see that namespace, and to nobody else on the same server',
  ),
  both(
    'values of Secrets in trackers, Events',
    'is nowhere in the cluster but where it was written, an application in an application included, nor on record',
  ),
  both(
    'reading any value off the console',
    'are in no topic, answer, page, line of the log, Event, condition, metric or export, and nothing the command prints',
  ),
  [
    'reading a value off an application in which its Secret has a slip',
    'is one with a slip in it as well: %s',
    'keeps them where they stood: %s',
  ],
  [
    'reading a password off an address',
    'shows none, and keeps each where it was shown',
    'shows no password of an address and no Secret in a text',
  ],
  ['writing a value into a `List`', 'are never a list, which no cluster applies', 'may be of a kind that ends like that of a list'],
  [
    'writing a value where it would stay in the application',
    'as %s in place of a value',
    'and one where Secrets have theirs is taken, as is what other kinds call by these names',
  ],
  [
    'reading a value that someone wrote into an application',
    'that came past the console are in no revision and nothing else',
    'written through the console are in Secrets alone, applied as previewed',
  ],
  [
    'having a value told by the sentence that refuses it',
    'is not told where it is a number that cannot be kept, in %s; its path is',
    'keeps no other number from being told: %s',
  ],
  [
    'having a value of an application written where one may read it',
    'go nowhere else for somebody who may change the application and read no Secret',
    'gives a Secret its values back when it is rendered, and a container only the reference',
  ],
  [
    'having a hidden value shown by the preview of an edit',
    'tells no hidden value, and writes none to where it can be read, where %s',
    'keeps the values that stay hidden, and tells none',
  ],
  [
    'having a hidden value of a release written',
    'takes no mask %s',
    'shows no value of a Secret among the values, and keeps it where its mask stays',
  ],
  [
    'a container that writes what a terminal or a browser acts upon',
    'are cut at 16 KB a line, and escape what terminals and bidirectional text would do',
    'come as the person reads them, merged by time, until all are read',
  ],
  [
    'reading any object, its owners, events or managed fields',
    'what may not be read is answered 403 with the right that is missing, what is not there 404',
    'a Secret is shown without its values, in the table and close up',
  ],
  [
    'restarting, scaling or deleting objects without the right',
    '%s is not done without the right to it, to none of them by a right to another one',
    '%s is done as shown by whoever may, as the person and on record',
  ],
  [
    'deleting, suspending or refreshing an application, or editing an object',
    'deleting an application is refused, its preview too, and so are half of the rights',
    'delete the application as shown, as the person; from another site or with a foreign plan nothing happens',
  ],
  [
    'receiving events after the right to them',
    'of events ends with the group that gave the right to them, though the object itself may still be read',
    'of events goes on while the right is held and the cluster cannot be asked, and ends with the session',
  ],
  [
    'comparing, previewing or uninstalling a release',
    'uninstalls nothing: not by another kind, another object, another origin or without a session',
    'does so only as the person, whatever the request says of others',
  ],
  [
    'uninstalling a release that no resource declares',
    'asks for every right of the person that Helm would use: that to its storage first, then to what it deletes',
    'deletes what was shown, keeps what the chart keeps, and tells and records what became of it',
  ],
  [
    'a link for one role that signs in as another',
    'carries the role that it was made for and no other: %s',
    'makes links that open the console for another role',
  ],
];
