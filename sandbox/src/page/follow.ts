/** Calls `onState` with every state of the stream; reconnects by itself. Returns the function to stop. */
export function followStream(url: string, onState: (state: unknown) => void): () => void {
  const source = new EventSource(url);
  source.addEventListener('message', (event: MessageEvent<string>) => onState(JSON.parse(event.data)));
  return () => source.close();
}
