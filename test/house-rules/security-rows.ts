import type { SecurityRow } from './security-row';
import { both } from './security-row';
import { ROWS_OF_DECISIONS } from './security-rows-of-decisions';
import { ROWS_OF_RIGHTS } from './security-rows-of-rights';

/** The rows in the order of the page. Parts of titles are enough. */
export const SECURITY_ROWS: readonly SecurityRow[] = [
  ...ROWS_OF_RIGHTS,
  // Signing in, and the web
  [
    'a cluster token read off the network',
    'is refused from everywhere but loopback',
    'answers nothing over a way that is refused but what monitors ask',
  ],
  both('being led back to plain http', 'tells browsers to come by https only where they do'),
  ['a token of the provider that is forged', 'takes no token %s', 'takes a code once, and in the browser that began'],
  both('an address that is made up in `X-Forwarded-For`', 'counts only what trusted proxies say of where a request comes from'),
  both(
    'another server on the same host ends the session',
    'a cookie of another server on the same host is not ours, and ours does not end theirs',
  ),
  [
    'a link that signs someone in as someone else',
    'asks before it puts another session in the place of the one there is',
    'signs in by itself where nobody is signed in',
  ],
  [
    'a sign-in address that leads elsewhere afterwards',
    'is the first page where an address asks for %j',
    'is the page of ours that an address asks for: %s',
  ],
  [
    'a user name that becomes a shell command of an administrator',
    'hold a person who calls themselves %s for that and no more',
    'give exactly the right: in its namespace, of its name, to the person',
  ],
  [
    'a namespace, an object or a release named so that a command',
    'the command that deletes a stray holds whatever name it was given',
    'a word that no shell reads anything in stays as it is',
  ],
  [
    'a chart whose failure imitates a missing right',
    'no command is made of what a chart makes Helm say: %s',
    'a right is found wherever Helm is refused: %s',
  ],
  ['a name, reason, annotation or difference', '%s is shown with its escape', 'and none such as %j is left as it is'],
  both(
    'a reason, a message or a status with line ends',
    'prints what somebody wrote in one line, so that it is no line of ours, and a manifest to the letter',
  ),
  ['a page of another site that frames', 'keeps other sites out of every answer', 'opens a socket over a way that is %s or not'],
  both('a page of another site that writes', 'are judged by their origin: %s'),
  both('a page of another site, or of another port', 'opens no stream of a person, so that it takes none of those they may have: %s'),
  both('the same page, having the record exported', 'has nothing read in the name of a person, so that it takes no share of theirs: %s'),
  [
    'pages, rows or tokens that the service worker keeps',
    'sees nothing of %s, whether the server answers or not',
    'hands on what the server answers as it is, and keeps nothing of it nor of its own page',
  ],
  both('reading the password of the store', 'leaves no secret in the environment once it is read, and everything else'),
  both('names of objects read off `/metrics`', 'metrics that are served name no object, and still tell how the engines do'),
  both('a package that was exchanged on the way', 'proves every package with its integrity, those for other platforms included'),
  ...ROWS_OF_DECISIONS,
  // Load
  both('guessing tokens', 'one token is tried ten times from however many addresses, and the tokens of others go on'),
  both('locking everyone out by guessing', 'a stranger who tries tokens is stopped after ten, and locks nobody out'),
  both('sessions without end', 'a person has ten sessions: one more ends the oldest, here and in the store, and nobody else’s'),
  both('requests without end', 'requests beyond the burst are refused with the limit and when to try again, and others are served'),
  both(
    'sockets and subscriptions without end',
    'a person has twenty live connections, over however many sessions, and another person is let in',
  ),
  [
    'connections below the sockets',
    'a connection that says without end what no socket hears is cut off',
    'a connection that leaves what it joined ends, and one that stays goes on',
  ],
  [
    'connections of strangers that send nothing',
    'that say %s are so many, and the oldest gives way; whoever sends a request meanwhile is answered',
    'do not count once they have sent a whole one, however long they stay; and one that is late is taken whole',
  ],
  [
    'connections by the thousand that ask and then stay',
    'are so many of one source, and the one that has been idle for longest gives way; each is answered, and those of others stay',
    'are ended last where they are being answered or are sockets, and a stranger beside them is answered all the same',
  ],
  both(
    'asking for answers and never reading them',
    'end where nothing is read of what is sent; whoever waits for an answer does not, and is answered',
  ),
  ['texts that a pattern takes minutes for', '%s takes no time', 'patterns, ranges, paths, states, messages and values mean what they did'],
  both(
    'having images made and kept without end',
    'the server is set to make no image for who asks, and to send those that are there as they are',
  ),
  [
    'texts that a parser of YAML takes minutes for',
    'values of a release with %s are read or refused at once',
    'values mean what they did, and a key that stands twice is still refused with its line',
  ],
  both(
    'names that every object of JavaScript has',
    'is a policy like any other of which nothing is known: it is told, and refused by name',
  ),
  both('texts nested without end', 'three thousand levels are refused at once, a hundred are taken'),
  [
    'objects nested without end that another client stored',
    'nested too deep says so, also deeper than it could be sent back',
    'cut where nobody reads on, and everything beside it whole',
  ],
  [
    'a number that is written as another one',
    'with %s, which is a whole number once it is read, is refused with its path and value',
    'keeps numbers that can be kept, and texts of any digits',
  ],
  both(
    'reading the whole record again and again',
    'the record is exported and checked by a person once at a time, and again once that is over or cancelled',
  ),
  both(
    'requesting the description of the API',
    'the description of the API, which nobody needs to sign in for, is made once, however often a stranger asks',
  ),
  both(
    'requesting the schema of an application',
    'the schema of an application is made once, however often it is asked for, and says what it said',
  ),
  both(
    'searching thousands of objects',
    'of searches and previews of a person two are under way at once, the others wait, and another person is served at once',
  ),
  both(
    'rendering charts, comparing revisions',
    'searches, comparisons and previews of a person wait for one another, over however many sessions; to pause and to abort never do',
  ),
  both('loading pages again and again', 'of a person are computed two at once, over however many sessions, and nobody else waits for them'),
  both('keeping the turns of pages', 'computes no page for a request that sends something, whose body could keep its turn'),
  both(
    'taking many shares by many sessions',
    'a person sends so many bytes of manifests, over however many sessions, and another person goes on',
  ),
  both(
    'being many strangers by the addresses',
    'a stranger who has a whole network of IPv6 addresses tries ten tokens with all of them, and the network beside it goes on',
  ),
  both(
    'a provider that names groups without end',
    'asks about a thousand groups of a person at most, each once, and leaves the others out',
  ),
  both(
    'requesting objects without the right to them',
    'whoever names objects without a right to them is stopped, what may be seen goes on, and what was given is still taken away',
  ),
  both('streams without end', 'of events is one of thirty of a person, each a watch of theirs; whoever closes one has room for another'),
  both(
    'typing more into a terminal',
    'that take nothing end when more is typed than a page would send, and nothing heaps up; what is taken is typed on',
  ),
  [
    'sending more to a forwarded port than it reads',
    'whose port takes nothing are ended when more is sent than a client would send',
    'answers on loopback what a port of the pod answers, for many connections and much data, and ends when it is interrupted',
  ],
  [
    'taking what ports send over many connections',
    'a client that says it took what it never read gets no more than one that reads, and another client is served meanwhile',
    'many connections of a client that reads nothing hold no more than one of them may, and go on when it reads',
  ],
  [
    'stopping engines in the whole cluster by a Deployment',
    'one that may write nothing of it drives nothing, whatever its name and image are',
    'an engine whose work another controller does at the start only looks on, and says who',
  ],
  // Faults
  [
    'any call to the API server or the store is cut',
    'comes to the same objects and the same record, nothing made twice and nothing else deleted: %s',
    'makes nothing twice and deletes what it left, when nothing strikes',
  ],
  [
    'a stage is written into a rollout',
    'begins a rollout from where it is: it waits at its gates, and an abort goes back there',
    'has the %s that opened the gate accepted, once',
  ],
  [
    'git or Helm fails',
    'comes to the same releases, working copies and decisions: %s',
    'stores one revision of each and answers each decision, when nothing strikes',
  ],
  ['the API server stands still', 'comes to the same: %s', 'is made once, with nothing more deleted than what the second revision lacks'],
  both('etcd is put back to an earlier copy', 'a restored etcd, whose versions went backwards, ends in the state of a fresh list'),
  ['etcd is full', '', ''],
  ['409 and 429 in storms', 'comes to the same: %s', 'is made once, with nothing more deleted than what the second revision lacks'],
  both(
    'a watch stays open and says nothing more',
    'a watch that goes on open and says nothing is given up and taken up again, and nothing is lost',
  ),
  ['the Lease is taken by someone', 'comes to the same: %s', 'is made once, with nothing more deleted than what the second revision lacks'],
  [
    'the leader of two servers on one Postgres is killed',
    'comes to the same when the leader is killed and another takes over, on one record',
    'is made once, with nothing more deleted than what the second revision lacks',
  ],
  both(
    'a second server is started on the same data folder',
    'keeps a second one out of its data folder with a sentence where its store is %s, and goes on',
  ),
  both('Postgres is stopped in mid-transaction', 'loses no act and records none twice'),
  both(
    'the disk is full',
    'with a disk that is full as well engines stand still with the reason, and what they did is on record once there is room',
  ),
  both('the clock is set an hour forward or back', 'opens no gate that waits for people, and takes their approval as before'),
  // Addresses and charts
  ['having the server connect to its own network', 'is the same however it is written: %s', 'is public unless something is listed'],
  [
    'a name that leads elsewhere once it was judged',
    'is connected to as it was looked up: a name that changes afterwards changes nothing',
    'comes from a host that is listed, as its name says it',
  ],
  [
    'redirects, alternates and tokens that lead elsewhere',
    'that sends to another host for a token gets no credentials there',
    'changes credentials into a token, and has a tag by its digest',
  ],
  [
    'answers, repositories and archives without end',
    'is bounded in files, bytes and folders, and in archives within it',
    'is unpacked below the one folder that it holds, long names included',
  ],
  [
    'files of a chart that take all memory or minutes to be read',
    'with more in a file than is read in one piece is refused before anybody waits for that',
    'may have a schema that stands by itself',
  ],
  [
    'credentials in arguments, environments, logs',
    'stand in no argument and no environment, by https and by ssh, and leave nothing on disk',
    'is read with username and password, and with new ones from the next fetch on',
  ],
  [
    'a host that is not who it says',
    'is refused with a sentence where the host cannot be told, before anything is sent',
    'is read with its identity from the host of its known hosts',
  ],
  [
    'a chart whose schema of values has Helm fetch',
    'whose schema has Helm go out, or read a file of this machine, is refused before Helm has it: %j',
    'may have a schema that stands by itself',
  ],
  [
    'values in what Helm and the API server say when they refuse',
    'hides a value that stands there %s',
    'has none of many values left in it, wherever they stand and however they overlap, and is as it was elsewhere',
  ],
  [
    'values of a stored revision in what Helm says, while the cluster could not be asked',
    'is not shown where what is stored could not be read since the cluster %s: Helm may read and quote it',
    'is shown without what it was given where nothing is stored, or what is there holds no revision',
  ],
  [
    'having the release of another namespace shown by a resource that names it once its own was permitted',
    'a resource that names the release of another namespace once somebody was permitted its own shows nothing of that one, in any of its comparisons',
    'is told object by object: at the head of its chart, as it is stored, and as it is live',
  ],
  [
    'values in what Helm logs',
    'is told by the next one with its last line, values masked, and its file goes',
    'is told line by line while the program runs, its last line too where it has no end',
  ],
  [
    'a release that is called like an option of Helm',
    'is not run for a release or a namespace called %j',
    'is told three quarters of its memory',
  ],
  both('links and paths that lead out of a repository', 'keeps links that stay in the repository and removes those that lead out of it'),
  ['calling a webhook without its secret', 'is refused with %s', 'of %s is taken'],
  ['a chart that renders endlessly, in many releases', 'that takes too much processor time is ended', 'is had in turns by namespaces'],
  both('a chart that takes all memory', 'is ended with what it started when they hold more memory than it may together, and not before'),
  // The record
  [
    'an entry is changed, taken out or inserted',
    'is found out who %s, at once and after a restart',
    'leaves a record intact that nobody touched',
  ],
  [
    'the end is cut off',
    'is found out who cuts the end off and lets the record grow over it',
    'leaves a record intact that nobody touched',
  ],
  [
    'the same while the server starts and what was kept of heads cannot be read',
    'is found out who does so while the heads cannot be read at the start, as soon as they can',
    'leaves a record intact that nobody touched',
  ],
  [
    'the whole chain is rewritten',
    'is found out who writes the whole chain again, also when more is recorded afterwards',
    'leaves a record intact that nobody touched',
  ],
  [
    'heads are changed as well',
    'is found out who changes the heads as well, without the key',
    'leaves a record intact that nobody touched',
  ],
  [
    'having a record that was rewritten signed by the server itself',
    'signs no record that was written again as if it were whole, though the heads that tell it are taken out',
    'leaves a record intact that nobody touched',
  ],
  [
    'chain and heads are created again with another key',
    'finds an export that was written again and signed with another key, by a head that was kept',
    'trusts a key that took the place of another when that one vouches for it, and no other',
  ],
  [
    'an export of some namespaces is changed',
    'finds what was done to an export of %j',
    'checks an export by itself: of everything, and of some namespaces',
  ],
  [
    'an export of some namespaces passes for one of more',
    'is of the namespaces that it says: those of one alone do not pass for those of two',
    'checks an export by itself: of everything, and of some namespaces',
  ],
  both(
    'cutting off, after the next start, what was recorded right before the server was killed',
    'finds a head for what an earlier process recorded right before it was killed',
  ),
  [
    'acts while the store is down',
    'refuses what a person does, with a sentence, and takes it again when the store is back',
    'carries out an abort made by kubectl, and offers it to the record',
  ],
  [
    'trying what one may not, unseen',
    'puts on record that somebody was refused',
    'puts no refusal on record of what was done, or of who only looks',
  ],
  both(
    'one entry that the store cannot take',
    'takes entries that no index holds as they are, as of hundreds of trackers or of a name without end',
  ),
  both('two replicas append at once', 'two replicas that append at once make one row each and no gap, and each checks what both wrote'),
];
