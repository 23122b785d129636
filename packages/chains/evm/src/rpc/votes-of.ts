/** Resolves with all answers, or with those that arrived within `patienceMs` after the first one. */
export function votesOf<Value>(asked: readonly Promise<Value>[], patienceMs: number): Promise<readonly Value[]> {
  return new Promise((resolve) => {
    const votes: Value[] = [];
    let open = asked.length;
    let timer: NodeJS.Timeout | undefined;
    const close = () => {
      clearTimeout(timer);
      resolve([...votes]);
    };
    const settled = () => {
      open -= 1;
      if (open === 0) close();
      else if (votes.length > 0) timer ??= setTimeout(close, patienceMs);
    };
    for (const vote of asked) {
      vote.then((value) => votes.push(value)).then(settled, settled);
    }
    if (asked.length === 0) resolve(votes);
  });
}
