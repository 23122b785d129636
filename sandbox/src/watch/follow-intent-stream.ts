// Follows the service's event stream of one intent, to know when to read it again.

export type StreamedIntent = { readonly baseUrl: string; readonly publishableKey: string; readonly intentId: string };

/** Calls `wake` at every chunk of the stream, until it ends or the signal fires. Ignores a stream that fails. */
export async function followIntentStream(
  { baseUrl, publishableKey, intentId }: StreamedIntent,
  wake: () => void,
  signal: AbortSignal,
): Promise<void> {
  try {
    const response = await fetch(`${baseUrl}/sdk/public/payments/intents/${encodeURIComponent(intentId)}/stream`, {
      headers: { authorization: `Bearer ${publishableKey}` },
      signal,
    });
    for await (const _ of response.body ?? []) wake();
  } catch {
    // The stream is gone or unavailable: the caller also polls.
  }
}
