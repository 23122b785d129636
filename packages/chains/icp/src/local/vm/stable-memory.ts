// A canister's stable memory: pages that a message may write to, and that come back as they were when it fails.

const PAGE_BYTES = 65_536;
/** 256 MiB. */
const MAX_PAGES = 4_096;

export class StableMemory {
  #pages: Uint8Array[] = [];
  /** Pages before the first write of this message. */
  readonly #before = new Map<number, Uint8Array>();
  #pagesBefore = 0;

  get pages(): number {
    return this.#pages.length;
  }

  /** Returns the size before, or -1 when there is no room. */
  grow(pages: number): number {
    const before = this.#pages.length;
    if (before + pages > MAX_PAGES) return -1;
    for (let added = 0; added < pages; added += 1) this.#pages.push(new Uint8Array(PAGE_BYTES));
    return before;
  }

  read(offset: number, target: Uint8Array): void {
    this.#walk(offset, target.length, (page, start, done, count) => {
      target.set(this.#page(page).subarray(start, start + count), done);
    });
  }

  write(offset: number, source: Uint8Array): void {
    this.#walk(offset, source.length, (page, start, done, count) => {
      this.#keep(page);
      this.#page(page).set(source.subarray(done, done + count), start);
    });
  }

  /** What was written is what the next message finds. */
  commit(): void {
    this.#before.clear();
    this.#pagesBefore = this.#pages.length;
  }

  rollback(): void {
    this.#pages = this.#pages.slice(0, this.#pagesBefore);
    for (const [page, bytes] of this.#before) this.#pages[page] = bytes;
    this.#before.clear();
  }

  #keep(page: number): void {
    if (page < this.#pagesBefore && !this.#before.has(page)) this.#before.set(page, this.#page(page).slice());
  }

  #page(index: number): Uint8Array {
    const page = this.#pages[index];
    if (page === undefined) throw new RangeError('stable memory out of bounds');
    return page;
  }

  #walk(
    offset: number,
    length: number,
    visit: (page: number, start: number, done: number, count: number) => void,
  ): void {
    if (offset + length > this.#pages.length * PAGE_BYTES) throw new RangeError('stable memory out of bounds');
    for (let done = 0; done < length; ) {
      const at = offset + done;
      const start = at % PAGE_BYTES;
      const count = Math.min(PAGE_BYTES - start, length - done);
      visit((at - start) / PAGE_BYTES, start, done, count);
      done += count;
    }
  }
}
