/** Reads the data that the server wrote into the page. */
export function readFacts(): unknown {
  return JSON.parse(document.getElementById('facts')?.textContent ?? '{}');
}

/** Returns an element of the page's HTML. */
export function part(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found;
}
