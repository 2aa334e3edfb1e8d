import { isFields } from '@/lib/kube/fields';
import { parseExact, toNumber } from '@/lib/std/exact-json';
import { toInstant, toIso, toKubeTime } from '@/lib/std/instant';
import { badRequest, unsupportedMediaType } from '../api/failures';
import { SCHEMAS, schemaNameOf } from '../schemas/built-in';
import fields from '../schemas/protobuf.generated.json';

/** Number, name and type of a field; `*` before the type is a list, `{` a map by text. */
type Field = readonly [number, string, string];

const MESSAGES = fields as unknown as Readonly<Record<string, readonly Field[]>>;
const MAGIC = Buffer.from('k8s\0');
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
// Fields of the message around every object.
const TYPE_META = 1;
const RAW = 2;

type Wire = readonly [number, bigint | Buffer][];

/** A protobuf body, as Go clients of built-in kinds send it, as an object. Answers need no protobuf: those clients take JSON as well. */
export function readProtobuf(bytes: Buffer): Record<string, unknown> {
  if (!bytes.subarray(0, 4).equals(MAGIC)) throw badRequest('the body is not a Kubernetes protobuf message');
  const envelope = new Map(readWire(bytes.subarray(4)));
  const [apiVersion, kind] = readTypeMeta(envelope.get(TYPE_META));
  const slash = apiVersion.indexOf('/');
  const [group, version] = slash < 0 ? ['', apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
  const schema = kind === 'DeleteOptions' ? `${META}.DeleteOptions` : schemaNameOf(group, version, kind);
  const raw = envelope.get(RAW);
  if (schema === undefined || MESSAGES[schema] === undefined || !Buffer.isBuffer(raw)) {
    throw unsupportedMediaType(`protobuf bodies of ${apiVersion}, Kind=${kind} are not read; send application/json`);
  }
  return { apiVersion, kind, ...readMessage(raw, schema) };
}

function readTypeMeta(bytes: bigint | Buffer | undefined): readonly [string, string] {
  const members = new Map(Buffer.isBuffer(bytes) ? readWire(bytes) : []);
  return [String(members.get(1) ?? ''), String(members.get(2) ?? '')];
}

/** The fields of a message as they lie on the wire. */
function readWire(bytes: Buffer): Wire {
  const wire: [number, bigint | Buffer][] = [];
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined || shift > 63n) throw badRequest('the protobuf message is cut off');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw badRequest('the protobuf message is cut off');
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const kind = tag & 7;
    if (kind === 0) wire.push([tag >> 3, varint()]);
    else if (kind === 2) wire.push([tag >> 3, take(Number(varint()))]);
    else if (kind === 1 || kind === 5) wire.push([tag >> 3, take(kind === 1 ? 8 : 4)]);
    else throw badRequest(`the protobuf message has a field of the unknown wire type ${kind}`);
  }
  return wire;
}

function readMessage(bytes: Buffer, name: string): Record<string, unknown> {
  const message: Record<string, unknown> = {};
  for (const [number, value] of readWire(bytes)) {
    const field = MESSAGES[name]?.find(([known]) => known === number);
    if (field) place(message, field, value, name);
  }
  return message;
}

function place(message: Record<string, unknown>, [, member, type]: Field, value: bigint | Buffer, owner: string): void {
  if (type.startsWith('*')) {
    const list = Array.isArray(message[member]) ? message[member] : [];
    list.push(readValue(value, type.slice(1)));
    message[member] = list;
  } else if (type.startsWith('{')) {
    const entry = new Map(Buffer.isBuffer(value) ? readWire(value) : []);
    const held = isFields(message[member]) ? message[member] : {};
    message[member] = { ...held, [String(entry.get(1) ?? '')]: readValue(entry.get(2) ?? Buffer.alloc(0), type.slice(1)) };
  } else {
    const read = readValue(value, type);
    // What Go embeds is a message of its own here and lies flat in JSON.
    const known = SCHEMAS[owner]?.properties;
    if (isFields(read) && known && known[member] === undefined) Object.assign(message, read);
    else message[member] = read;
  }
}

function readValue(value: bigint | Buffer, type: string): unknown {
  if (!Buffer.isBuffer(value)) return type === 'bool' ? value !== 0n : toNumber(BigInt.asIntN(64, value));
  switch (type) {
    case 'string':
      return value.toString('utf8');
    case 'bytes':
      return value.toString('base64');
    case 'double':
      return value.readDoubleLE(0);
    case `${META}.Time`:
    case `${META}.MicroTime`:
      return readTime(value, type);
    case 'io.k8s.apimachinery.pkg.api.resource.Quantity':
      return String(new Map(readWire(value)).get(1) ?? '0');
    case 'io.k8s.apimachinery.pkg.util.intstr.IntOrString':
      return readIntOrString(value);
    case `${META}.FieldsV1`:
    case 'io.k8s.apimachinery.pkg.runtime.RawExtension':
      return parseExact(String(new Map(readWire(value)).get(1) ?? 'null'));
    default:
      return type.endsWith('.ExtraValue') || type.endsWith('.Verbs')
        ? readWire(value).map(([, item]) => String(item))
        : readMessage(value, type);
  }
}

function readIntOrString(bytes: Buffer): number | string {
  const members = new Map(readWire(bytes));
  return members.get(1) === 1n
    ? String(members.get(3) ?? '')
    : Number(BigInt.asIntN(32, BigInt.asIntN(64, (members.get(2) as bigint | undefined) ?? 0n)));
}

// An empty time is none.
function readTime(bytes: Buffer, type: string): string | null {
  const members = new Map(readWire(bytes));
  if (members.size === 0) return null;
  const seconds = Number(BigInt.asIntN(64, (members.get(1) as bigint | undefined) ?? 0n));
  const micros = Math.floor(Number((members.get(2) as bigint | undefined) ?? 0n) / 1000);
  const at = toInstant(seconds * 1000);
  return type.endsWith('.Time') ? toKubeTime(at) : toIso(at).replace(/\.\d+Z$/, `.${String(micros).padStart(6, '0')}Z`);
}
