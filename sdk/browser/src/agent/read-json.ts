// JSON from a seller, who may send anything: bounded in size and time, undefined instead of thrown.
import { untilAborted } from '../http/race.ts';

/** Longest header that is read. */
export const MAX_CHALLENGE_CHARACTERS = 65_536;

export function jsonFromBase64(text: string): unknown {
  if (text.length > MAX_CHALLENGE_CHARACTERS) return undefined;
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0));
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

export function base64FromJson(value: unknown): string {
  let binary = '';
  for (const byte of new TextEncoder().encode(JSON.stringify(value))) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** Reads at most `maxBytes` and until the signal is aborted, then closes the connection. */
export async function jsonFromBody(response: Response, maxBytes: number, signal: AbortSignal): Promise<unknown> {
  const reader = response.body?.getReader();
  if (reader === undefined) return undefined;
  const decoder = new TextDecoder();
  let text = '';
  let length = 0;
  try {
    for (;;) {
      const part = await untilAborted(reader.read(), signal);
      if (part?.done === true) return JSON.parse(text + decoder.decode());
      length += part?.value.length ?? 0;
      if (part === undefined || length > maxBytes) {
        void reader.cancel().catch(() => undefined);
        return undefined;
      }
      text += decoder.decode(part.value, { stream: true });
    }
  } catch {
    return undefined;
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
