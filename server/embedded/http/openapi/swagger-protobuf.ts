/** The form in which Go clients ask for the second version of the document. */
export const SWAGGER_PROTOBUF = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';

/** How a member of a message is written: its number and its type; a list by `*`, a map of named entries by `{`, its rest by the message `Vendor`. */
type Field = readonly [number: number, type: string];
type Message = Readonly<Record<string, Field>>;

const VENDOR = 'x-';
// Messages of gnostic's openapi.v2, as far as the document uses them.
const MESSAGES: Readonly<Record<string, Message>> = {
  Document: { swagger: [1, 'string'], info: [2, 'Info'], paths: [8, '{PathItem@2'], definitions: [9, '{Schema@1'] },
  Info: { title: [1, 'string'], version: [2, 'string'] },
  PathItem: { patch: [8, 'Operation'] },
  Operation: { operationId: [5, 'string'], parameters: [8, '*Parameter'], [VENDOR]: [13, 'Any'] },
  Query: { in: [2, 'string'], name: [4, 'string'], type: [6, 'string'] },
  Schema: {
    $ref: [1, 'string'],
    format: [2, 'string'],
    title: [3, 'string'],
    description: [4, 'string'],
    default: [5, 'Any'],
    multipleOf: [6, 'double'],
    maximum: [7, 'double'],
    exclusiveMaximum: [8, 'bool'],
    minimum: [9, 'double'],
    exclusiveMinimum: [10, 'bool'],
    maxLength: [11, 'int'],
    minLength: [12, 'int'],
    pattern: [13, 'string'],
    maxItems: [14, 'int'],
    minItems: [15, 'int'],
    uniqueItems: [16, 'bool'],
    maxProperties: [17, 'int'],
    minProperties: [18, 'int'],
    required: [19, '*string'],
    enum: [20, '*Any'],
    additionalProperties: [21, 'Additional'],
    type: [22, 'Type'],
    items: [23, 'Items'],
    allOf: [24, '*Schema'],
    properties: [25, '{Schema@1'],
    [VENDOR]: [31, 'Any'],
  },
};

/** A document of the second version in protobuf. Members that the format has no place for are left out, as the original leaves them out. */
export function toSwaggerProtobuf(document: object): Buffer {
  return writeMessage(document, 'Document');
}

function writeMessage(value: object, name: string): Buffer {
  const known = MESSAGES[name] ?? {};
  const parts: Buffer[] = [];
  for (const [key, member] of Object.entries(value)) {
    const field = known[key];
    if (field) parts.push(...writeField(field, member));
    else if (key.startsWith(VENDOR) && known[VENDOR]) parts.push(writeNamed(known[VENDOR][0], key, anyOf(member)));
  }
  return Buffer.concat(parts);
}

function writeField([number, type]: Field, value: unknown): readonly Buffer[] {
  if (type.startsWith('*')) return (value as readonly unknown[]).map((item) => delimited(number, writeValue(item, type.slice(1))));
  if (type.startsWith('{')) {
    const [of = '', entry = '1'] = type.slice(1).split('@');
    const entries = Object.entries(value as object).map(([key, member]) =>
      writeNamed(Number(entry), key, writeMessage(member as object, of)),
    );
    return [delimited(number, Buffer.concat(entries))];
  }
  if (type === 'int') return [varint(number << 3), varint(Number(value))];
  if (type === 'bool') return [varint(number << 3), varint(value === true ? 1 : 0)];
  if (type === 'double') return [varint((number << 3) | 1), doubleOf(Number(value))];
  return [delimited(number, writeValue(value, type))];
}

function writeValue(value: unknown, type: string): Buffer {
  switch (type) {
    case 'string':
      return Buffer.from(String(value));
    case 'Any':
      return anyOf(value);
    case 'Type':
      return Buffer.concat([value].flat().map((one) => delimited(1, Buffer.from(String(one)))));
    case 'Items':
      return delimited(1, writeMessage(value as object, 'Schema'));
    case 'Additional':
      return typeof value === 'object'
        ? delimited(1, writeMessage(value as object, 'Schema'))
        : Buffer.concat(writeField([2, 'bool'], value));
    case 'Parameter':
      return delimited(1, delimited(2, delimited(3, writeMessage(value as object, 'Query'))));
    default:
      return writeMessage(value as object, type);
  }
}

// Any value as the YAML that JSON is.
const anyOf = (value: unknown) => delimited(2, Buffer.from(`${JSON.stringify(value)}\n`));
const writeNamed = (number: number, name: string, value: Buffer) =>
  delimited(number, Buffer.concat([delimited(1, Buffer.from(name)), delimited(2, value)]));
const delimited = (number: number, bytes: Buffer) => Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);

function doubleOf(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes;
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}
