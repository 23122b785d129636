// Requests to the console through Caddy, by a name that no DNS knows.
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { AskConsole } from '../e2e/join-by-link.ts';
import { CONSOLE_NAME } from './compose-world.ts';

export function askConsoleAt(address: string): AskConsole {
  return async (path, { method, headers, body }) => {
    const sent = request({
      host: address,
      servername: CONSOLE_NAME,
      path,
      method,
      agent: false,
      headers: { host: CONSOLE_NAME, ...headers },
    });
    sent.end(body);
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    sent.once('response', resolve).once('error', reject);
    const answer = await promise;
    const whole = await text(answer);
    const [cookie] = answer.headers['set-cookie'] ?? [];
    return {
      status: answer.statusCode ?? 0,
      headers: new Headers(cookie === undefined ? {} : { 'set-cookie': cookie }),
      text: async () => whole,
    };
  };
}
