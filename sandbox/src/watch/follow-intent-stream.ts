// The service's own event stream of one intent, to know when it is worth looking.

export type StreamedIntent = { readonly baseUrl: string; readonly publishableKey: string; readonly intentId: string };

/** Calls `wake` at every word of the stream, until it ends or the signal fires. Says nothing when it can't be had. */
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
    // Gone, or never there: whoever follows also looks by itself.
  }
}
