// Name server on loopback whose answers the test sets.
import { createSocket } from 'node:dgram';
import { afterwards } from './receiver.ts';

const TYPE_A = 1;
const TYPE_AAAA = 28;
const NO_SUCH_NAME = 3;

export type NameServer = {
  /** Value for `SVC_WEBHOOKS_DNS_SERVERS`. */
  readonly address: string;
  /** Addresses by name. An absent name does not exist; a `silent` name gets no answer. */
  readonly names: Map<string, readonly string[] | 'silent'>;
  readonly asked: string[];
  readonly close: () => Promise<void>;
};

export async function startNameServer(): Promise<NameServer> {
  const names: NameServer['names'] = new Map();
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const { name, type, end } = questionOf(query);
    asked.push(name);
    const known = names.get(name);
    if (known === 'silent') return;
    const wanted = (known ?? []).filter((address) =>
      type === TYPE_A ? !address.includes(':') : address.includes(':'),
    );
    const records = type === TYPE_A || type === TYPE_AAAA ? wanted.map((address) => recordOf(type, address)) : [];
    const head = Buffer.alloc(12);
    query.copy(head, 0, 0, 2);
    head.writeUInt16BE(0x8180 | (known === undefined ? NO_SUCH_NAME : 0), 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(records.length, 6);
    socket.send(Buffer.concat([head, query.subarray(12, end), ...records]), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  let open = true;
  const close = async () => {
    if (!open) return;
    open = false;
    await new Promise<void>((resolve) => socket.close(resolve));
  };
  afterwards(close);
  return { address: `127.0.0.1:${socket.address().port}`, names, asked, close };
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let place = 12;
  for (let length = query.readUInt8(place); length > 0; length = query.readUInt8(place)) {
    labels.push(query.toString('latin1', place + 1, place + 1 + length));
    place += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(place + 1), end: place + 5 };
}

/** TTL 0: the next lookup asks again. */
function recordOf(type: number, address: string): Buffer {
  const data = type === TYPE_A ? Buffer.from(address.split('.').map(Number)) : sixteenBytes(address);
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function sixteenBytes(address: string): Buffer {
  const [head = '', tail = ''] = address.split('::');
  const groups = (text: string) => text.split(':').filter((group) => group !== '');
  const missing = 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array<string>(missing).fill('0'), ...groups(tail)];
  const bytes = Buffer.alloc(16);
  for (const [index, group] of all.entries()) bytes.writeUInt16BE(Number.parseInt(group, 16), index * 2);
  return bytes;
}
