// Whether a process answers the engine's protocol: one HTTP/2 ping. The kernel still accepts connections for a frozen
// process, but a frozen process does not answer a ping.
import { connect } from 'node:http2';

export function isAlive(url: string, patienceMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const session = connect(url);
    const end = (alive: boolean) => {
      clearTimeout(timer);
      session.destroy();
      resolve(alive);
    };
    const timer = setTimeout(() => end(false), patienceMs);
    session.once('error', () => end(false));
    session.once('close', () => end(false));
    session.once('connect', () => void session.ping((problem) => end(problem === null)));
  });
}
