// Counters of the kernel's network code: a connection that found the listen queue full is counted there and nowhere else.
import { readFileSync } from 'node:fs';

/** One counter of /proc/net/netstat, which has a line of names and a line of values for each protocol. */
export function parseNetstat(text: string, protocol: string, counter: string): number {
  const lines = text.split('\n').filter((line) => line.startsWith(`${protocol}:`));
  const [names, values] = lines.map((line) => line.split(/\s+/));
  const value = values?.[names?.indexOf(counter) ?? -1];
  if (value === undefined || !/^\d+$/.test(value)) throw new Error(`the kernel does not count ${protocol} ${counter}`);
  return Number.parseInt(value, 10);
}

/** Connections that this machine has dropped because a listen queue was full. */
export function listenOverflows(): number {
  return parseNetstat(readFileSync('/proc/net/netstat', 'utf8'), 'TcpExt', 'ListenOverflows');
}
