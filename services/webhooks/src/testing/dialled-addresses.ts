// Records every connection that this process opens, at the socket level, so that no option can bypass it.
import net from 'node:net';
import { afterwards } from './receiver.ts';

/** Hosts and addresses given to a socket, in order. */
export function watchDialledAddresses(): { readonly dialled: string[] } {
  const dialled: string[] = [];
  const original: unknown = Reflect.get(net.Socket.prototype, 'connect');
  const watching = function (this: net.Socket, ...args: unknown[]) {
    const first: unknown = Array.isArray(args[0]) ? args[0][0] : args[0];
    if (typeof first === 'object' && first !== null && 'port' in first) {
      const { host, port } = first as { host?: string; port: unknown };
      dialled.push(`${host ?? 'localhost'}:${String(port)}`);
    }
    return Reflect.apply(original as (...given: unknown[]) => net.Socket, this, args);
  };
  Reflect.set(net.Socket.prototype, 'connect', watching);
  afterwards(async () => {
    Reflect.set(net.Socket.prototype, 'connect', original);
  });
  return { dialled };
}
