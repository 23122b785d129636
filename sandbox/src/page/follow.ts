/** Calls back with every state the address tells; connects again by itself. Returns how to stop. */
export function follow(url: string, onState: (state: unknown) => void): () => void {
  const source = new EventSource(url);
  source.addEventListener('message', (event: MessageEvent<string>) => onState(JSON.parse(event.data)));
  return () => source.close();
}
