import type { IncomingMessage } from 'node:http';
import type { RequestFacts } from '../protect/answer.ts';

/** What the framework knows better: what a proxy in front told, where the application trusts it, and the path as it came. */
type KnownOfRequest = { readonly protocol?: string; readonly originalUrl?: string };

export function factsOfMessage(message: IncomingMessage, known: KnownOfRequest): RequestFacts {
  const { method = 'GET', headers, url = '/' } = message;
  const isEncrypted = 'encrypted' in message.socket && message.socket.encrypted === true;
  const protocol = known.protocol ?? (isEncrypted ? 'https' : 'http');
  const path = known.originalUrl ?? url;
  const address = `${protocol}://${headers.host ?? 'localhost'}${path}`;
  return {
    method,
    // A Host header may be anything.
    url: URL.canParse(address) ? new URL(address).href : `${protocol}://localhost${path}`,
    header: (name) => headers[name],
  };
}
