/** A wallet as EIP-1193 describes it: `window.ethereum`, one of EIP-6963, or anything a page brings along. */
export type Eip1193Provider = {
  readonly request: (call: { readonly method: string; readonly params?: readonly unknown[] }) => Promise<unknown>;
  readonly on?: (event: string, listener: (...details: readonly unknown[]) => void) => unknown;
  readonly removeListener?: (event: string, listener: (...details: readonly unknown[]) => void) => unknown;
};

export function isProvider(value: unknown): value is Eip1193Provider {
  return (
    typeof value === 'object' && value !== null && typeof (value as Partial<Eip1193Provider>).request === 'function'
  );
}
