// The known name that somebody most likely meant.

/** Longer texts are no mistyped name, and comparing them costs time that anybody could ask for. */
const MAX_CHARACTERS = 64;
const SHARED_BEGINNING = 4;

/** Undefined where no known name is near. */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  if (given.length > MAX_CHARACTERS) return undefined;
  const text = plain(given);
  const ranked = known
    .map((name) => ({ name, far: distance(text, plain(name)) }))
    .filter(({ name, far }) => far <= 1 + Math.floor(name.length / 3))
    .sort((one, other) => one.far - other.far);
  return ranked[0]?.name ?? known.find((name) => beginsAlike(text, plain(name)));
}

/** Letter case and separators are what people mix up first. */
const plain = (name: string) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

function beginsAlike(one: string, other: string): boolean {
  if (one.length < SHARED_BEGINNING || other.length < SHARED_BEGINNING) return false;
  return (
    one.slice(0, SHARED_BEGINNING) === other.slice(0, SHARED_BEGINNING) || one.includes(other) || other.includes(one)
  );
}

/** Insertions, deletions and substitutions (Levenshtein). */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 1; at <= one.length; at += 1) {
    const next = [at];
    for (let to = 1; to <= other.length; to += 1) {
      const substituted = (row[to - 1] ?? 0) + (one[at - 1] === other[to - 1] ? 0 : 1);
      next.push(Math.min(substituted, (row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
